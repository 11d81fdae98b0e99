import Foundation
import LarderCore
import LarderFiles
import LarderTestSupport
import Testing

struct SettingsFileTests {
    struct Settings: Codable, Equatable, Sendable {
        var launches = 0
        var name: String?
        var since = Date(timeIntervalSinceReferenceDate: 0.1)
        var shops: [String: Bool] = [:]
    }

    struct NewerSettings: Codable, Equatable, Sendable {
        var launches = 0
        var name: String? = "unnamed"
        var since = Date(timeIntervalSinceReferenceDate: 0.1)
        var shops: [String: Bool] = [:]
        var theme = "dark"
        var factor = 1.5
    }

    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func settings(_ format: PListFormat = .binary) throws -> SettingsFile<Settings> {
        try SettingsFile(directory.url("app/settings.plist"), defaults: Settings(), format: format)
    }

    private func newer() throws -> SettingsFile<NewerSettings> {
        try SettingsFile(directory.url("app/settings.plist"), defaults: NewerSettings())
    }

    private var path: String { directory.path("app/settings.plist") }

    @Test func externalSettingsChangeIsDeliveredWithoutReading() async throws {
        let file = try settings()
        try file.update { $0.launches = 1 }
        var changes = file.changes(for: \.launches).makeAsyncIterator()
        #expect(try await changes.next() == 1)
        // Written as another process would, without notifying instances in this process.
        var settings = Settings()
        settings.launches = 2
        try PropertyListEncoder().encode(settings).write(to: URL(filePath: path), options: .atomic)
        #expect(try await changes.next() == 2)
    }

    @Test func missingSettingsFileYieldsDefaults() throws {
        #expect(try settings().value() == Settings())
        #expect(try LocalFileSystem().contentsOfDirectory(at: directory.path) == [], "reading creates nothing")
    }

    @Test(arguments: [PListFormat.xml, .binary]) func writtenSettingIsReadByAnotherInstance(
        format: PListFormat
    ) throws {
        try settings(format).setValue(3, for: \.launches)
        try settings(format).setValue("shop", for: \.name)
        #expect(try settings(format).value(for: \.launches) == 3)
        #expect(try settings(format).value(for: \.name) == "shop")
    }

    @Test func binarySettingsRoundTripExactly() throws {
        let value = Settings(
            launches: .max,
            name: "",
            since: Date(timeIntervalSinceReferenceDate: 0.1 + 0.2),
            shops: ["é": true]
        )
        try settings().update { $0 = value }
        #expect(try settings().value() == value)
    }

    @Test func settingsFileAndFolderArePrivateToOwner() throws {
        try settings().setValue(3, for: \.launches)
        #expect(try LocalFileSystem().information(at: path)?.permissions == 0o600)
        #expect(try LocalFileSystem().information(at: directory.path("app"))?.permissions == 0o700)
    }

    @Test func instancesForSameFileReadSameSettings() throws {
        let first = try settings()
        let second = try settings()
        for count in 1...50 {
            try first.setValue(count, for: \.launches)
            #expect(try second.value(for: \.launches) == count)
            try second.setValue("\(count)", for: \.name)
            #expect(try first.value() == Settings(launches: count, name: "\(count)"))
        }
    }

    @Test func concurrentSettingsUpdatesAreNotLost() throws {
        let files = try (0..<4).map { _ in try settings() }
        DispatchQueue.concurrentPerform(iterations: 4) { index in
            for _ in 0..<10 {
                #expect(throws: Never.self) { try retryWhileBusy { try files[index].update { $0.launches += 1 } } }
            }
        }
        #expect(try settings().value(for: \.launches) == 40)
    }

    @Test func updateWithThrowingClosureChangesNothing() throws {
        let file = try settings()
        try file.setValue(3, for: \.launches)
        #expect(throws: CancellationError.self) {
            try file.update {
                $0.launches = 4
                throw CancellationError()
            }
        }
        #expect(try file.value(for: \.launches) == 3)
    }

    @Test func undecodableSettingsFileIsNeverOverwritten() throws {
        let file = try settings()
        try file.setValue(3, for: \.launches)
        let damage = Data("bplist00 damaged".utf8)
        try LocalFileSystem().replaceContents(of: path, with: damage)
        #expect { try file.value() } throws: { ($0 as? FileError)?.code == .undecodable }
        #expect { try file.setValue(4, for: \.launches) } throws: { ($0 as? FileError)?.code == .undecodable }
        #expect(try LocalFileSystem().contents(of: path) == damage)
    }

    @Test func olderProgramKeepsSettingsWrittenByNewerProgram() throws {
        try newer().update {
            $0.theme = "light"
            $0.factor = 0.1
        }
        try settings().setValue(3, for: \.launches)
        #expect(try newer().value() == NewerSettings(launches: 3, name: "unnamed", theme: "light", factor: 0.1))
    }

    @Test func settingsMissingInOlderFileUseDefaults() throws {
        try settings().setValue(3, for: \.launches)
        #expect(try newer().value() == NewerSettings(launches: 3, name: nil), "a missing optional stays nil")
        try newer().setValue("light", for: \.theme)
        #expect(try newer().value() == NewerSettings(launches: 3, name: nil, theme: "light"))
    }

    @Test func readingSettingsFileWithoutFieldsThrows() throws {
        try LocalFileSystem().createDirectory(at: directory.path("app"))
        try PListFileStorage().write([1, 2], to: directory.url("app/settings.plist"))
        #expect { try newer().value() } throws: { ($0 as? FileError)?.code == .undecodable }
    }

    @Test func readingNestedSettingWithMissingFieldThrows() throws {
        struct Inner: Codable, Sendable { var inside = 1 }
        struct Outer: Codable, Sendable { var launches = Inner() }
        try LocalFileSystem().createDirectory(at: directory.path("app"))
        try PListFileStorage().write(["launches": ["other": 1]], to: directory.url("app/settings.plist"))
        let file = try SettingsFile(directory.url("app/settings.plist"), defaults: Outer())
        #expect { try file.value() } throws: { ($0 as? FileError)?.code == .undecodable }
    }

    @Test func optionalSettingSetToNilIsRemovedFromFile() throws {
        let file = try settings()
        try file.setValue("x", for: \.name)
        try file.setValue(nil, for: \.name)
        #expect(try settings().value(for: \.name) == nil)
    }

    @Test func resettingSettingsRestoresDefaults() throws {
        let file = try settings()
        try file.reset()
        try file.setValue(3, for: \.launches)
        try file.reset()
        #expect(try file.value() == Settings())
        #expect(try settings().value() == Settings())
    }

    @Test func settingsChangesBeginWithCurrentValueAndOmitDuplicates() async throws {
        let file = try settings()
        let other = try settings()
        var changes = file.changes(for: \.launches).makeAsyncIterator()
        #expect(try await changes.next() == 0)
        try other.setValue(1, for: \.launches)
        try other.setValue("unrelated", for: \.name)
        try other.setValue(1, for: \.launches)
        try file.setValue(2, for: \.launches)
        try file.reset()
        #expect(try await changes.next() == 1)
        #expect(try await changes.next() == 2)
        #expect(try await changes.next() == 0)
    }

    @Test func externalSettingsChangeIsDeliveredAtNextRead() async throws {
        let file = try settings()
        try file.setValue(1, for: \.launches)
        var changes = file.changes(for: \.self).makeAsyncIterator()
        #expect(try await changes.next()?.launches == 1)
        try PListFileStorage().write(Settings(launches: 9), to: directory.url("app/settings.plist"))
        #expect(try file.value(for: \.launches) == 9)
        #expect(try await changes.next()?.launches == 9)
    }

    @Test func settingsChangesEndWithErrorIfFileIsCorrupt() async throws {
        try LocalFileSystem().createDirectory(at: directory.path("app"))
        try LocalFileSystem().replaceContents(of: path, with: Data("x".utf8))
        var changes = try settings().changes(for: \.launches).makeAsyncIterator()
        await #expect(throws: FileError.self) { _ = try await changes.next() }
    }

    @Test func failedUpdateLeavesOldOrNewSettings() throws {
        func file(on system: SimulatedFileSystem) throws -> SettingsFile<Settings> {
            try SettingsFile(path: "/\(UUID().uuidString)/s", defaults: Settings(), on: system)
        }
        let clean = SimulatedFileSystem()
        try file(on: clean).setValue(1, for: \.launches)
        for index in 1..<clean.operationCount {
            let system = SimulatedFileSystem()
            let settings = try file(on: system)
            system.fail(at: index, errno: EIO, forever: true)
            let result = Result { try settings.setValue(1, for: \.launches) }
            system.stopFailing()
            let launches = try settings.value(for: \.launches)
            switch result {
            case .success: #expect(launches == 1, "call \(index)")
            case .failure(let error):
                #expect(launches == ("\(error)".contains("the new content is in place") ? 1 : 0), "call \(index)")
            }
        }
    }
}
