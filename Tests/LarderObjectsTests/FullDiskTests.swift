#if Objects
import Dispatch
import Foundation
import LarderCore
import LarderObjects
import LarderTestSupport
import Testing

/// A real disk without room: one of 512 KiB, mounted for one process, which is this program again.
@Suite struct FullDiskTests {
    private static let variable = "LARDER_FULL_DISK"
    private static let disk = ProcessInfo.processInfo.environment[variable]

    /// Runs a command in a world of its own, in which a disk lies at `folder`.
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
        // One that leaves no room can't write its coverage either.
        let settings = ["LLVM_PROFILE_FILE": "/dev/null", variable: folder]
        process.environment = ProcessInfo.processInfo.environment.merging(settings) { $1 }
        process.standardOutput = output
        process.standardError = output
        try process.start()
        let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, printed)
    }

    /// Whether this user may mount a disk.
    private static let canMount: Bool = {
        guard let outcome = try? run(at: "/mnt", ["true"]) else { return false }
        return outcome.status == 0
    }()

    @Test(.enabled(if: canMount && disk == nil, "mounting needs user namespaces"))
    func aDiskWithoutRoomLeavesEverythingAsItWas() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("larder-disk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let arguments = ["--testing-library", "swift-testing", "--filter", "worksOnADiskWithoutRoom"]
        let outcome = try Self.run(at: folder.path, [try program()] + arguments)
        #expect(outcome.status == 0 && outcome.output.contains("1 test"), "\(outcome.output)")
    }

    private func program() throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    }

    @Test(.enabled(if: disk != nil, "the other process runs this"))
    func worksOnADiskWithoutRoom() async throws {
        let folder = URL(fileURLWithPath: try #require(Self.disk))
        let manager = try SQLiteStorageManager(
            model: Shop.model,
            name: "shop",
            in: folder,
            configuration: .init(viewQueue: DispatchQueue(label: "view"))
        )
        try await manager.performAndSave { try $0.insertNewObject(ofType: Customer.self).name = "Ada" }
        // What fits has been written when the disk is full, and is undone.
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
        // A file of the user's own that goes makes room.
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
}
#endif
