import Foundation
import LarderCore
import LarderFiles
import LarderStores
import Synchronization

/// One domain of `UserDefaults` and everything that its stores share: lock, observers, issues, revision.
final class UserDefaultsDomain: KeyValueStore {
    /// One for the whole process: `synchronize()` on any `UserDefaults` writes every domain, so that with a lock for each, half a
    /// commit of one could be written, or fail, in another's name.
    private static let lock = UserDefaultsLock()

    let issues = IssueChannel(label: "larder.userdefaults")
    var inspectionName: String {
        objects.domainName == PlatformDeviceStorage.standardDomainName ? "standard" : objects.domainName ?? "unnamed"
    }
    var inspectionKind: String { "user defaults" }

    private let objects: UserDefaultsObjects
    private let form = PropertyListForm.userDefaults
    private let hub = StoreChangeHub()
    private let commits = Atomic<UInt64>(0)
    /// Whether the file was seen to be a property list, or to be none of ours.
    private let isChecked = Atomic<Bool>(false)
    /// Whether a change was seen to reach the file, or there is no file of ours to look at.
    private let isConfirmed = Atomic<Bool>(false)

    init(_ objects: UserDefaultsObjects) { self.objects = objects }

    deinit { hub.finish() }

    let capabilities = StoreCapabilities(
        survivesProcess: true,
        writeCost: .wholeStore,
        limitations: [
            "Off Apple platforms the file is cut to nothing and written anew in place: a crash during a write can lose every value in it.",
            "Off Apple platforms a file that is damaged while the program runs reads as empty, and the next write replaces it.",
            "Off Apple platforms other processes must not write the same file: they lose each other's values, and see changes only after a restart.",
            "Changes that are made around this store, by other processes or by UserDefaults itself, are not observed.",
            "Writing any UserDefaults of the process writes all of them: one that can't be written may fail the others.",
            "The folder is not synced, so a new file may be missing after a loss of power.",
        ]
    )

    var revision: UInt64 { commits.load(ordering: .acquiring) }

    // MARK: - Reading

    func get(_ key: StoreKey) throws -> StoredValue? {
        try key.validate()
        return try reading { try value(for: key) }
    }

    func entries(prefix: String) throws -> [StoreEntry] {
        let (entries, failures) = try reading { list(prefix: prefix) }
        for failure in failures {
            issues.report(
                LarderIssue(
                    .damaged,
                    "One value could not be read and is missing from the list: see the error beneath.",
                    key: failure.key,
                    underlying: failure.error
                )
            )
        }
        return entries
    }

    func verify() throws -> StoreVerification {
        let (entries, failures) = try reading { list(prefix: "") }
        return StoreVerification(
            checkedEntries: entries.count + failures.count,
            problems: failures.map { StoreVerification.Problem("\($0.error)", key: $0.key) }
        )
    }

    private func reading<Result>(_ body: () throws -> Result) throws -> Result {
        try Self.lock.reading {
            try checkFile()
            return try body()
        }
    }

    private func writing<Result>(_ body: () throws -> Result) throws -> Result {
        try Self.lock.writing {
            try checkFile()
            return try body()
        }
    }

    /// Keeps Foundation for Linux away from a file that it cannot read: it would take it for empty and write over it.
    private func checkFile() throws {
        guard !isChecked.load(ordering: .relaxed) else { return }
        if let file = objects.file, try entries(of: file) != nil { try checkThatFoundationKnows(file) }
        isChecked.store(true, ordering: .relaxed)
    }

    /// What the file holds; `nil` when there is none.
    ///
    /// - Throws: When it can't be read: Foundation could not read it either, and would write over it.
    private func content(of file: String) throws -> Data? {
        do {
            return try LocalFileSystem.local.contentsIfPresent(of: file)
        } catch let error as FileError {
            throw StoreError.unreadableFile(file, error)
        }
    }

    /// What the file holds; `nil` when there is none, or nothing in it.
    ///
    /// It is not read by Foundation, whose reader ends the process on some damaged files.
    private func entries(of file: String) throws -> StoredDictionary? {
        guard let content = try content(of: file), !content.isEmpty else { return nil }
        do {
            return try PropertyListDocument.entries(of: XMLEncoding.inUTF8([UInt8](content)))
        } catch let error as StoreError {
            throw StoreError(error.code, "\(file): \(error.message)", path: file)
        } catch {
            throw StoreError.damagedFile(file, error)
        }
    }

    /// Refuses a domain that Foundation takes for empty though its file has entries.
    private func checkThatFoundationKnows(_ file: String) throws {
        func isUnknown() throws -> Bool {
            guard let stored = try entries(of: file), !stored.isEmpty else { return false }
            let known = objects.all
            return stored.allSatisfy { known[$0.key] == nil }
        }
        // Other code may have removed every entry and not written that yet.
        if try isUnknown(), objects.synchronize(), try isUnknown() { throw StoreError.unknownFile(file) }
    }

    /// Checks of the first change that it reached the file: a domain asked for too early is kept in memory alone, and Foundation
    /// says of it too that it was written.
    private func confirm(_ change: [(key: StoreKey, isThere: Bool)]) throws {
        guard !isConfirmed.load(ordering: .relaxed), !change.isEmpty else { return }
        if let file = objects.file {
            let stored = try entries(of: file) ?? [:]
            guard change.allSatisfy({ (stored[form.key(for: $0.key.text)] != nil) == $0.isThere }) else {
                throw StoreError.unknownFile(file)
            }
        }
        isConfirmed.store(true, ordering: .relaxed)
    }

    private func value(for key: StoreKey) throws -> StoredValue? {
        let text = key.text
        guard let object = objects[form.key(for: text)] else { return nil }
        return try form.value(of: object, at: text)
    }

    private func list(prefix: String) -> (entries: [StoreEntry], failures: [(key: String, error: any Error)]) {
        var entries: [StoreEntry] = []
        var failures: [(key: String, error: any Error)] = []
        for (name, object) in objects.all {
            do {
                let key = try form.text(ofKey: name)
                guard key.utf8.starts(with: prefix.utf8), !StoreKey(key).isReserved else { continue }
                entries.append(StoreEntry(key: key, value: try form.value(of: object, at: key)))
            } catch {
                failures.append((name, error))
            }
        }
        entries.sort { $0.key.precedesByBytes($1.key) }
        failures.sort { $0.key.precedesByBytes($1.key) }
        return (entries, failures)
    }

    // MARK: - Writing

    func commit(_ batch: StoreBatch) throws -> Bool {
        try batch.validate()
        let isCommitted = try writing { try carryOut(batch) }
        hub.deliver()
        return isCommitted
    }

    private func carryOut(_ batch: StoreBatch) throws -> Bool {
        let before = try table(of: batch)
        guard before.fulfils(batch) else { return false }
        var after = before
        let change = after.apply(batch)
        for (key, value) in after.allEntries where before[key] != value { write(value, for: key) }
        for key in before.allEntries.keys where after[key] == nil { write(nil, for: key) }
        // Also when nothing changed: the same value may be there in memory only, set by other code.
        guard objects.synchronize() else {
            putBack(before, after)
            throw notWritten()
        }
        do {
            try confirm(
                Set(batch.writes.map(\.key)).filter { before[$0] != after[$0] }.map { ($0, after[$0] != nil) }
            )
        } catch {
            putBack(before, after)
            throw error
        }
        if !change.isEmpty {
            commits.add(1, ordering: .acquiringAndReleasing)
            hub.publish(change.published)
        }
        return true
    }

    /// The entries that `batch` asks about or writes, as they are now.
    private func table(of batch: StoreBatch) throws -> StoreTable {
        var table = StoreTable()
        for expectation in batch.expectations {
            switch expectation {
            case .value(_, let key): table[key] = try value(for: key)
            case .entries(_, let prefix):
                for entry in list(prefix: prefix).entries { table[StoreKey(entry.key)] = entry.value }
            }
        }
        for write in batch.writes { table[write.key] = try value(for: write.key) }
        return table
    }

    private func write(_ value: StoredValue?, for key: StoreKey) {
        objects.write(value.map(form.object(for:)), for: form.key(for: key.text))
    }

    /// Undoes a commit that could not be written.
    ///
    /// The failed attempt may have left the file empty, while Foundation takes all but the written keys for saved. So everything is
    /// marked as unsaved and written again: it fitted before. If that fails too, the next commit writes it all.
    private func putBack(_ before: StoreTable, _ after: StoreTable) {
        for key in after.allEntries.keys where before[key] == nil { write(nil, for: key) }
        for (key, value) in before.allEntries where after[key] != value { write(value, for: key) }
        saveEverything()
    }

    private func saveEverything() {
        objects.markUnsaved { key, object in
            // Foundation does not take back the arrays of optionals that it hands out. What can't be read is left as it is.
            (try? form.value(of: object, at: key)).map(form.object(for:))
        }
        _ = objects.synchronize()
    }

    @available(*, noasync)
    func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool { try commit(batch) }

    func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        try await withBlockingWork { try self.commit(batch) }
    }

    @available(*, noasync)
    func flush() throws { try write() }

    func flush() async throws { try await withBlockingWork { try self.write() } }

    private func write() throws {
        try writing {
            guard !objects.synchronize() else { return }
            saveEverything()
            throw notWritten()
        }
    }

    /// Why Foundation, which does not say, could not write the file.
    private func notWritten() -> StoreError {
        guard let file = objects.file else { return .notWritten }
        do {
            _ = try LocalFileSystem.local.contentsIfPresent(of: file)
        } catch let error as FileError where error.isOfTooManyOpenFiles {
            return .unreadableFile(file, error)
        } catch {
            // What keeps it from being read need not be what kept it from being written.
        }
        return .notWritten
    }

    // MARK: - Observing

    func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        hub.changes(prefix: prefix, buffering: buffering)
    }

    func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        hub.observe(prefix: prefix, handler)
    }
}

extension StoreError {
    fileprivate static func damagedFile(_ path: String, _ error: any Error) -> StoreError {
        StoreError(
            .damaged,
            "The file at \(path) is no property list and was left as it is: repair it, or move it away to begin anew.",
            path: path,
            underlying: error
        )
    }

    fileprivate static func unreadableFile(_ path: String, _ error: FileError) -> StoreError {
        let (code, advice): (StoreError.Code, String) =
            switch error.code {
            case .notPermitted: (.notPermitted, "check its permissions")
            case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
                (.tooManyOpenFiles, "close other files, or raise the limit of open files")
            default: (.inputOutput, "check the disk")
            }
        return StoreError(
            code,
            "The file at \(path) can't be read, so nothing is written to it: \(advice), and try again.",
            path: path,
            underlying: error
        )
    }

    fileprivate static func unknownFile(_ path: String) -> StoreError {
        StoreError(
            .inputOutput,
            "Foundation was asked for the whole domain before any key of it was read, and since then does not know the file at \(path): read a key first, as in `_ = userDefaults.object(forKey: \"\")`. Nothing was changed.",
            path: path
        )
    }

    fileprivate static let notWritten = StoreError(
        .inputOutput,
        "UserDefaults could not write its file, the earlier values were put back: check that its folder can be written and has room."
    )
}
