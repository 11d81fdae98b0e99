import Foundation
import LarderCore
import LarderDeviceStore

/// A second process writes in a loop, is killed in the middle of it, and everything it had acknowledged is there.
enum CrashScene {
    private static let least = 1_000

    static func play(in folder: URL, _ tour: TourPrinter) throws {
        try tour.title("A process is killed while it writes")
        let path = folder.appending(path: "killed.larder").path
        let acknowledged = try runAndKill(path)
        try tour.remark(
            "A second process wrote \(acknowledged) values, saying so after each, and got SIGKILL meanwhile."
        )

        let store = try DeviceStore(path: path)
        let lost = try (1...acknowledged).filter { try store.get(key($0)) != .int(Int64($0)) }
        try tour.show("store.verify().isIntact") { try store.verify().isIntact }
        try tour.show("acknowledged values that are missing") { lost.count }
        try Tour.check(lost.isEmpty, "\(lost.count) of \(acknowledged) acknowledged values are gone")
        try Tour.check(try store.verify().isIntact, "the store is damaged")
    }

    /// The second process: it writes until it is killed, or until nobody listens any more.
    static func write(to path: String) throws {
        let store = try DeviceStore(path: path)
        var number = 0
        while true {
            number += 1
            try store.set(.int(Int64(number)), for: key(number))
            try FileHandle.standardOutput.write(contentsOf: Data("\(number)\n".utf8))
        }
    }

    private static func key(_ number: Int) -> StoreKey { StoreKey(String(number), prefix: "n.") }

    /// - Returns: The last number that was acknowledged.
    private static func runAndKill(_ path: String) throws -> Int {
        guard let program = Bundle.main.executableURL else {
            throw CommandFailure.storage("The tour can't tell where its program is to start it a second time.")
        }
        let process = Process()
        let pipe = Pipe()
        process.executableURL = program
        process.arguments = ["tour-writer", path]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        try process.run()

        var output = Data()
        var isKilled = false
        // An empty read is the end: the process is gone, and with it the last writer of the pipe.
        while case let more = pipe.fileHandleForReading.availableData, !more.isEmpty {
            output += more
            if !isKilled, lastNumber(output) ?? 0 >= least {
                kill(process.processIdentifier, SIGKILL)
                isKilled = true
            }
        }
        process.waitUntilExit()
        guard isKilled, let last = lastNumber(output) else {
            throw CommandFailure.storage("The second process of the tour ended by itself before it could be killed.")
        }
        return last
    }

    /// The number of the last whole line.
    private static func lastNumber(_ output: Data) -> Int? {
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.dropLast().last.flatMap { Int($0) }
    }
}
