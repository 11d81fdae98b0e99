#if !canImport(Darwin)
import Foundation
import LarderTestSupport
import Testing

/// Tests `UserDefaults.standard` in another process whose home is a temporary folder.
@Suite struct StandardDomainTests {
    private let home: TemporaryDirectory

    init() throws { home = try TemporaryDirectory() }

    private var launches: Int? {
        let file = home.path(".config/DeviceStoreHelper.plist")
        let content = FileManager.default.contents(atPath: file).flatMap {
            try? PropertyListSerialization.propertyList(from: $0, format: nil)
        }
        return (content as? [String: Any])?["launches"] as? Int
    }

    @Test func writeIsRejectedIfEntireDomainWasReadBeforeAnyKey() throws {
        #expect(try launch("domain first") == 7)
        #expect(launches == nil)
        #expect(try launch("keys first") == 0)
        #expect(launches == 1)
    }

    @Test func existingFileIsKeptIfEntireDomainWasReadBeforeAnyKey() throws {
        #expect(try launch("keys first") == 0)
        #expect(try launch("domain first") == 7)
        #expect(launches == 1)
        #expect(try launch("keys first") == 0)
        #expect(launches == 2)
    }

    private func launch(_ mode: String) throws -> Int32 {
        let process = Process()
        let folders = [
            Bundle.main.bundleURL, URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent(),
        ]
        process.executableURL = folders.map { $0.appendingPathComponent("DeviceStoreHelper") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        process.arguments = ["defaults", mode]
        // The variables for sanitizers are kept, and those that override HOME are removed. No coverage file is written.
        var environment = ProcessInfo.processInfo.environment
        environment = environment.filter { !$0.key.hasPrefix("XDG_") && $0.key != "CFFIXED_USER_HOME" }
        process.environment = environment.merging(["HOME": home.path, "LLVM_PROFILE_FILE": "/dev/null"]) { $1 }
        HeldProcess.hold(process)
        try process.start()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
#endif
