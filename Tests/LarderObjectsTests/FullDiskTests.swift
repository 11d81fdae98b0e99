#if Objects
import Dispatch
import Foundation
import LarderCore
import LarderObjects
import LarderTestSupport
import LarderTestTraits
import Testing

/// Tests of writes to a full disk, which is a file system of 512 KiB that a second process mounts.
@Suite struct FullDiskTests {
    private static let variable = "LARDER_FULL_DISK"
    private static let disk = ProcessInfo.processInfo.environment[variable]

    /// Runs a command in its own mount namespace, in which the small disk is mounted at `folder`.
    private static func run(at folder: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        process.arguments =
            [
                "--map-root-user", "--mount", "sh", "-c", "mount -t tmpfs -o size=512k tmpfs \"$0\" && exec \"$@\"",
                folder,
            ]
            + arguments
        // Coverage data would not fit on the full disk.
        let settings = ["LLVM_PROFILE_FILE": "/dev/null", variable: folder]
        process.environment = ProcessInfo.processInfo.environment.merging(settings) { $1 }
        process.standardOutput = output
        process.standardError = output
        try process.start()
        let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, printed)
    }

    /// Whether the current user can mount a file system.
    private static let canMount: Bool = {
        guard let outcome = try? run(at: "/mnt", ["true"]) else { return false }
        return outcome.status == 0
    }()

    @Test(
        .enabled(if: canMount && disk == nil, "mounting needs user namespaces"),
        arguments: ["managerRecoversFromFullDisk", "corruptFileIsNotReplacedOnFullDisk"]
    )
    func fullDiskLeavesDatabaseUnchanged(_ test: String) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("larder-disk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let arguments = ["--testing-library", "swift-testing", "--filter", test]
        let outcome = try Self.run(at: folder.path, [try program()] + arguments)
        #expect(outcome.status == 0 && outcome.output.contains("1 test"), "\(outcome.output)")
    }

    private func program() throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    }

    @Test(.enabled(if: disk != nil, "the other process runs this"))
    func managerRecoversFromFullDisk() async throws {
        let folder = URL(fileURLWithPath: try #require(Self.disk))
        let manager = try SQLiteStorageManager(
            model: Shop.model,
            name: "shop",
            in: folder,
            configuration: .init(viewQueue: DispatchQueue(label: "view"))
        )
        try await manager.performAndSave { try $0.insertNewObject(ofType: Customer.self).name = "Ada" }
        // Some rows are written before the disk is full, then rolled back.
        for isSavedInBetween in [false, true] {
            let error = await #expect(throws: ObjectError.self) {
                try await manager.performAndSave { storage in
                    for number in 0..<10_000 {
                        let customer = try storage.insertNewObject(ofType: Customer.self)
                        customer.name = String(repeating: "x", count: 100) + "\(number)"
                        if isSavedInBetween, number % 500 == 499 { try storage.saveIfNeeded() }
                    }
                }
            }
            #expect(error?.code == .diskFull && error?.path == manager.url.path)
            #expect(try manager.viewStorage.allObjects(ofType: Customer.self).map(\.name) == ["Ada"])
            #expect(try manager.verify().problems == [])
        }
        // Removing another file has freed space.
        try await manager.performAndSave { try $0.insertNewObject(ofType: Customer.self).name = "Eve" }
        try manager.close()
        let other = try SQLiteStorageManager(
            model: Shop.model,
            name: "shop",
            in: folder,
            configuration: .init(viewQueue: DispatchQueue(label: "view"))
        )
        #expect(try other.viewStorage.allObjects(ofType: Customer.self).map(\.name) == ["Ada", "Eve"])
        #expect(try other.verify().problems == [])
        try other.close()
    }

    @Test(.enabled(if: disk != nil, "the other process runs this"), .expectsIssues(.damaged))
    func corruptFileIsNotReplacedOnFullDisk() async throws {
        let folder = URL(fileURLWithPath: try #require(Self.disk))
        let url = folder.appendingPathComponent("shop.sqlite")
        var configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        let manager = try SQLiteStorageManager(model: Shop.model, url: url, configuration: configuration)
        try await manager.performAndSave { storage in
            for number in 0..<100 { try storage.insertNewObject(ofType: Customer.self).name = "customer \(number)" }
        }
        #expect(try manager.verify().problems == [])
        try manager.close()
        let pages = DatabasePages(url: url)
        try pages.damage([pages.root(of: "larder_model")])
        let bytes = try Data(contentsOf: url)
        // There is still space for the files that SQLite needs to read the database.
        let rest = folder.appendingPathComponent("rest")
        try Data(count: 512 * 1_024 - bytes.count - 60 * 1_024).write(to: rest)
        configuration.onMismatch = .salvageAndRecreate
        let error = #expect(throws: ObjectError.self) {
            _ = try SQLiteStorageManager(model: Shop.model, url: url, configuration: configuration)
        }
        #expect(error?.code == .diskFull)
        #expect(try Data(contentsOf: url) == bytes)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!names.contains { $0.contains("quarantined") || $0.contains("unfinished") })
        try FileManager.default.removeItem(at: rest)
        let again = try SQLiteStorageManager(model: Shop.model, url: url, configuration: configuration)
        #expect(try again.viewStorage.countObjects(ofType: Customer.self) == 100)
        #expect(try again.verify().problems == [])
        try again.close()
    }
}
#endif
