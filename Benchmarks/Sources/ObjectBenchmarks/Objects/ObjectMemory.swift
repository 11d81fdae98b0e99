#if Objects
import Foundation
import LarderObjects

/// A task with 1,000,000 objects whose peak memory use is measured in a separate process.
enum MemoryScenario: String, CaseIterable {
    case fill, delete, insert, insertAndSave, upsert, fillFirstVersion, convert, stage

    static let count = 1_000_000

    var title: String {
        switch self {
        case .fill: "fill"
        case .delete: "deleteAllObjects"
        case .insert: "insertNewObject, one save at the end"
        case .insertAndSave: "insertNewObject, saveIfNeeded after each 10,000"
        case .upsert: "upsert of structs into an empty database, without the structs"
        case .fillFirstVersion: "fill a file of the first version"
        case .convert: "migration that converts Int to String"
        case .stage: "migration with a custom stage"
        }
    }

    /// Performs the task in a folder and returns the number of bytes by which resident memory grew at most.
    func run(in folder: String) throws -> Double {
        switch self {
        case .fillFirstVersion, .convert, .stage: try migrate(URL(fileURLWithPath: folder + "/sales.sqlite"))
        case .fill, .delete, .insert, .insertAndSave, .upsert: try store(in: folder)
        }
    }

    private func migrate(_ url: URL) throws -> Double {
        guard self != .fillFirstVersion else {
            try MigrationModels.fill(url, rows: Self.count)
            return 0
        }
        let model =
            try self == .stage
            ? MigrationModels.withStage() : ObjectModel([MigrationModels.WithStringNumber.Sale.self], version: 2)
        let before = try Self.beginPeak()
        try MigrationModels.open(model, url).close()
        return try Self.status("VmHWM") - before
    }

    private func store(in folder: String) throws -> Double {
        let bench = try ShopBench(folder)
        let values = self == .upsert ? (0..<Self.count).map { OrderValue($0) } : []
        let before = try Self.beginPeak()
        switch self {
        case .fill, .insertAndSave: try Self.insert(bench, savingEach: 10_000)
        case .insert: try Self.insert(bench, savingEach: nil)
        case .delete: try bench.perform { try $0.deleteAllObjects(ofType: BenchmarkSale.self) }
        case .upsert: try bench.perform { _ = try $0.upsert(values, by: \BenchmarkSale.number) }
        case .fillFirstVersion, .convert, .stage: throw ObjectBenchmarkError.wrongResult
        }
        let peak = try Self.status("VmHWM") - before
        let left = try bench.manager.viewStorage.countObjects(ofType: BenchmarkSale.self)
        guard left == (self == .delete ? 0 : Self.count) else { throw ObjectBenchmarkError.wrongResult }
        try bench.manager.close()
        return peak
    }

    private static func insert(_ bench: ShopBench, savingEach: Int?) throws {
        try bench.perform { storage in
            for number in 0..<count {
                try storage.insertNewObject(ofType: BenchmarkSale.self).update(with: OrderValue(number))
                if let savingEach, number % savingEach == 0 { try storage.saveIfNeeded() }
            }
        }
    }

    /// Resets the kernel's record of peak memory, and returns the current resident memory in bytes.
    private static func beginPeak() throws -> Double {
        try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
        return try status("VmRSS")
    }

    /// Returns the value in the line of `/proc/self/status` with the given name, in bytes.
    private static func status(_ name: String) throws -> Double {
        let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name + ":") }),
            let number = line.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Double($0) })
        else { throw ObjectBenchmarkError.wrongResult }
        return number * 1_024
    }
}

extension Area {
    /// The command-line argument that makes this program run a scenario instead of the benchmarks.
    static let scenarioWord = "--memory-scenario"

    static var memoryOfManyObjects: Row {
        Row("peak memory for 1,000,000 orders, in a separate process") { folder in
            guard FileManager.default.fileExists(atPath: "/proc/self/clear_refs") else { return [] }
            let filled = folder + "/filled"
            _ = try peak(.fill, filled)
            let megabytes = 1_048_576.0
            return try [.delete, .insertAndSave, .upsert, .insert].map { (scenario: MemoryScenario) in
                let place = scenario == .delete ? filled : folder + "/" + scenario.rawValue
                return Figure(scenario.title, try peak(scenario, place), .bytes, goal: .atMost(100 * megabytes))
            }
        }
    }

    static var memoryOfMigrations: Row {
        Row("peak memory of the migration of 1,000,000 rows, in a separate process") { folder in
            guard FileManager.default.fileExists(atPath: "/proc/self/clear_refs") else { return [] }
            return try [.convert, .stage].map { (scenario: MemoryScenario) in
                let place = folder + "/" + scenario.rawValue
                _ = try peak(.fillFirstVersion, place)
                return Figure(scenario.title, try peak(scenario, place), .bytes, goal: .atMost(64 * 1_048_576))
            }
        }
    }

    private static func peak(_ scenario: MemoryScenario, _ folder: String) throws -> Double {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [scenarioWord, scenario.rawValue, folder]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0, let bytes = Double(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else { throw ObjectBenchmarkError.wrongResult }
        return bytes
    }
}
#endif
