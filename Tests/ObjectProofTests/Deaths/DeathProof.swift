#if Objects
import Foundation
import LarderCore
import LarderObjects
import ObjectStorageModels

/// Interrupts a migration in another process, then checks the file and migrates it in this process.
struct DeathProof: Sendable {
    struct Outcome {
        let end: HelperRun.End
        /// Whether the interrupted process left the new objects.
        let isMigrated: Bool
        let problems: [String]
    }

    let migration: LibraryMigration
    /// A letter for each call of an uninterrupted migration that changes the disk, as `larder_faults_calls` returns them.
    let calls: [Character]
    /// The duration of an uninterrupted opening in microseconds.
    let duration: Int
    private let folder: URL
    private let old: LibraryState
    private let new: LibraryState

    private static let name = "library.sqlite"

    private var original: URL { folder.appendingPathComponent(Self.name) }

    /// Creates a file of version 1 and migrates a copy of it without a fault.
    init(_ migration: LibraryMigration, in folder: URL) async throws {
        self.migration = migration
        self.folder = folder
        let original = folder.appendingPathComponent(Self.name)
        let manager = try SQLiteStorageManager(
            model: Library.model,
            url: original,
            configuration: Self.configuration
        )
        try await manager.performAndSave { try Library.fill($0) }
        try manager.close()
        old = try LibraryState(of: original, copiedInto: folder)
        let copy = folder.appendingPathComponent("migrated.sqlite")
        try FileManager.default.copyItem(at: original, to: copy)
        let end = try HelperRun(copy, migration, .none, 0).end()
        guard case .opened(let output) = end else { throw Unfinished(end: end) }
        let words = output.split(whereSeparator: \.isWhitespace)
        calls = words.first.map(Array.init) ?? []
        duration = words.last.flatMap { Int($0) } ?? 0
        new = try LibraryState(of: copy, copiedInto: folder)
    }

    private struct Unfinished: Error { let end: HelperRun.End }

    private static var configuration: ObjectStorageConfiguration {
        var configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        configuration.openingTimeout = .seconds(60)
        return configuration
    }

    /// Runs `body` with a new copy of the file of version 1, which is removed afterwards.
    private func withCopy<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let copies = folder.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: copies) }
        let url = copies.appendingPathComponent(Self.name)
        try FileManager.default.copyItem(at: original, to: url)
        return try body(url)
    }

    /// Migrates a copy in another process with a fault, and returns what is wrong with what the fault left.
    func run(_ fault: HelperRun.Fault, _ number: Int) throws -> Outcome {
        try withCopy { url in
            let end = try HelperRun(url, migration, fault, number).end()
            return try check(url, end)
        }
    }

    /// Migrates a copy in two processes at once, of which a fault ends one.
    ///
    /// - Returns: What is wrong, and how both processes ended.
    func runTwo(_ fault: HelperRun.Fault, _ number: Int) throws -> (outcome: Outcome, survivor: HelperRun.End) {
        try withCopy { url in
            let victim = try HelperRun(url, migration, fault, number)
            let other = try HelperRun(url, migration, .none, 0)
            let (end, survivor) = (victim.end(), other.end())
            let outcome = try check(url, end)
            var problems = outcome.problems
            switch survivor {
            case .opened:
                if !outcome.isMigrated { problems.append("the survivor opened the file without migrating it") }
            case .failed("busy", _): break
            default: problems.append("the survivor ended with \(survivor)")
            }
            return (Outcome(end: end, isMigrated: outcome.isMigrated, problems: problems), survivor)
        }
    }

    /// Records the changes of the disk that an uninterrupted migration makes.
    func record() throws -> DiskRecord {
        try withCopy { url in
            let log = url.deletingLastPathComponent().appendingPathComponent("record")
            let end = try HelperRun(url, migration, .none, 0, record: log).end()
            guard case .opened = end else { throw Unfinished(end: end) }
            return try DiskRecord(contentsOf: log)
        }
    }

    /// Checks a state in which a power loss may leave the disk.
    func run(_ record: DiskRecord, _ state: DiskRecord.State) throws -> Outcome {
        try withCopy { url in
            let image = try record.image(state, of: [Self.name: Array(Data(contentsOf: url))])
            try FileManager.default.removeItem(at: url)
            for (name, bytes) in image {
                try Data(bytes).write(to: url.deletingLastPathComponent().appendingPathComponent(name))
            }
            return try check(url, .killed)
        }
    }

    /// Checks the file that the process left, opens it, and checks it again.
    func check(_ url: URL, _ end: HelperRun.End) throws -> Outcome {
        let place = url.deletingLastPathComponent()
        let state: LibraryState
        do { state = try LibraryState(of: url, copiedInto: folder(for: place)) } catch {
            return Outcome(end: end, isMigrated: false, problems: ["the file can't be read: \(error)"])
        }
        var problems: [String] = []
        if state != old, state != new { problems.append("the file has neither the old nor the new objects: \(state)") }
        switch end {
        case .opened: if state != new { problems.append("the file was opened without being migrated") }
        case .failed(_, let message):
            if state != (message.contains("The database was migrated, but") ? new : old) {
                problems.append("the error does not say whether the file was migrated: \(message)")
            }
        case .killed: break
        case .invalid(let text): problems.append(text)
        }
        problems += try backupProblems(place)
        do {
            let manager = try SQLiteStorageManager(
                model: migration.model(),
                url: url,
                configuration: Self.configuration
            )
            if try !migration.isComplete(manager.viewStorage) { problems.append("an object is missing or differs") }
            problems += try manager.verify().problems.map { "verify: \($0)" }
            try manager.close()
        } catch {
            problems.append("the file can't be opened: \(error)")
        }
        if try LibraryState(of: url, copiedInto: folder(for: place)) != new {
            problems.append("the file does not have the new objects")
        }
        problems += try backupProblems(place)
        let names = try self.names(place)
        if names.count != 4 || !names.starts(with: ["", "-lock", "-writer"].map { Self.name + $0 }) {
            problems.append("the folder contains \(names)")
        }
        return Outcome(end: end, isMigrated: state == new, problems: problems)
    }

    /// Returns the names in a folder, except for the copies that the proof makes and the logs.
    ///
    /// GRDB may close a connection, and SQLite remove its empty log, a moment after the manager was closed.
    private func names(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasPrefix(Self.name) && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
    }

    private func folder(for place: URL) throws -> URL {
        let copies = place.appendingPathComponent("copies")
        try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
        return copies
    }

    /// Returns what is wrong with the finished backups in a folder, each of which must have the old objects.
    private func backupProblems(_ place: URL) throws -> [String] {
        try names(place)
            .filter { $0.hasPrefix(Self.name + ".version-1") && !$0.contains("-unfinished") }
            .filter { try LibraryState(of: place.appendingPathComponent($0), copiedInto: folder(for: place)) != old }
            .map { "the backup \($0) is not complete" }
    }
}
#endif
