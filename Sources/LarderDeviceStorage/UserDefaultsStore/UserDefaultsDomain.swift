import Foundation
import LarderCore
import LarderFiles
import LarderStores
import Synchronization

/// A key-value store backed by one domain of `UserDefaults`, such as a suite.
///
/// All stores of the same domain share the domain's lock, observers, issues and revision.
final class UserDefaultsDomain: KeyValueStore {
    /// The lock that all domains in this process share.
    ///
    /// Separate locks would not isolate commits, because `synchronize()` on any `UserDefaults` object writes every domain.
    private static let lock = UserDefaultsLock()

    let issues = IssueChannel(label: "larder.userdefaults")
    var inspectionName: String {
        objects.domainName == PlatformStandardStore.standardDomainName ? "standard" : objects.domainName ?? "unnamed"
    }
    var inspectionKind: String { "user defaults" }

    private let objects: UserDefaultsObjects
    private let form = PropertyListForm.userDefaults
    private let hub = StoreChangeHub()
    private let commits = Atomic<UInt64>(0)
    /// Whether it has been verified that the file is either missing or a readable property list.
    private let isChecked = Atomic<Bool>(false)
    /// Whether it has been verified that Foundation writes changes to the file.
    ///
    /// If the path of the file is unknown, the check is skipped.
    private let isConfirmed = Atomic<Bool>(false)

    init(_ objects: UserDefaultsObjects) { self.objects = objects }

    deinit { hub.finish() }

    let capabilities = StoreCapabilities(
        survivesProcess: true,
        writeCost: .wholeStore,
        limitations: [
            "On non-Apple platforms the file is truncated and rewritten in place, so a crash during a write can lose every value.",
            "On non-Apple platforms a file that becomes corrupt while the program runs is treated as empty, and the next write replaces it.",
            "On non-Apple platforms, two processes must not write to the same file: each can overwrite the other's changes, and sees them only after a restart.",
            "Changes made by other processes, or through UserDefaults itself, are not observed.",
            "A write to one UserDefaults domain also saves all others in the process, so a domain that can't be saved may cause other writes to fail.",
            "The folder of the file is not synced, so a new file may be missing after a power failure.",
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
                    "The value under \(failure.key.debugDescription) could not be read, so the list of entries omits it. Remove the value with `UserDefaults.removeObject(forKey:)`.",
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

    /// Throws an error if Foundation on Linux can't read the domain's file.
    ///
    /// Otherwise, Foundation would treat the file as empty and overwrite it.
    private func checkFile() throws {
        guard !isChecked.load(ordering: .relaxed) else { return }
        if let file = objects.file, try entries(of: file) != nil { try checkThatFoundationReads(file) }
        isChecked.store(true, ordering: .relaxed)
    }

    /// Returns the bytes of the file, or `nil` if the file does not exist.
    private func content(of file: String) throws -> Data? {
        do {
            return try LocalFileSystem.local.contentsIfPresent(of: file)
        } catch let error as FileError {
            throw StoreError.unreadableFile(file, error)
        }
    }

    /// Returns the entries in the file, or `nil` if the file does not exist or is empty.
    ///
    /// The file is not read with Foundation, whose reader crashes on some corrupt files.
    private func entries(of file: String) throws -> StoredDictionary? {
        guard let content = try content(of: file), !content.isEmpty else { return nil }
        do {
            return try PropertyListDocument.entries(of: XMLEncoding.inUTF8([UInt8](content)))
        } catch let error as StoreError {
            throw StoreError(
                error.code,
                "The file \(file.debugDescription) can't be used: \(error.message)",
                path: file
            )
        } catch {
            throw StoreError.damagedFile(file, error)
        }
    }

    /// Throws an error if Foundation treats the domain as empty although its file has entries.
    private func checkThatFoundationReads(_ file: String) throws {
        func isUnknown() throws -> Bool {
            guard let stored = try entries(of: file), !stored.isEmpty else { return false }
            let known = objects.all
            return stored.allSatisfy { known[$0.key] == nil }
        }
        // Other code may have removed all entries without writing the file yet.
        if try isUnknown(), objects.synchronize(), try isUnknown() { throw StoreError.unknownFile(file) }
    }

    /// Checks that the first change to this domain has reached the domain's file.
    ///
    /// If the whole domain was read before any key, Foundation keeps changes in memory only, but reports that they were written.
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
        guard before.fulfills(batch) else { return false }
        var after = before
        let change = after.apply(batch)
        for (key, value) in after.allEntries where before[key] != value { write(value, for: key) }
        for key in before.allEntries.keys where after[key] == nil { write(nil, for: key) }
        // Synchronizes even if nothing has changed, because other code may have set the same value in memory only.
        guard objects.synchronize() else {
            restore(before, after)
            throw notWritten()
        }
        do {
            try confirm(
                Set(batch.writes.map(\.key)).filter { before[$0] != after[$0] }.map { ($0, after[$0] != nil) }
            )
        } catch {
            restore(before, after)
            throw error
        }
        if !change.isEmpty {
            commits.add(1, ordering: .acquiringAndReleasing)
            hub.publish(change.published)
        }
        return true
    }

    /// Returns the current entries for the keys that `batch` expects or writes.
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

    /// Restores the values that were stored before a failed commit.
    ///
    /// All entries are written again, because the failed commit may have truncated the file. If this write also fails, the next commit
    /// writes the entries.
    private func restore(_ before: StoreTable, _ after: StoreTable) {
        for key in after.allEntries.keys where before[key] == nil { write(nil, for: key) }
        for (key, value) in before.allEntries where after[key] != value { write(value, for: key) }
        saveEverything()
    }

    private func saveEverything() {
        objects.markUnsaved { key, object in
            // Foundation does not accept arrays of optionals, although it returns them. Values that can't be read are left unchanged.
            (try? form.value(of: object, at: key)).map(form.object(for:))
        }
        _ = objects.synchronize()
    }

    @available(*, noasync)
    func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool {
        try durability.requireLocal()
        return try commit(batch)
    }

    func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        try durability.requireLocal()
        return try await withBlockingWork { try self.commit(batch) }
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

    /// Returns the error for a file that Foundation could not write.
    ///
    /// Foundation does not report the cause of the failure, so this method tries to determine the cause by reading the file.
    private func notWritten() -> StoreError {
        guard let file = objects.file else { return .notWritten }
        do {
            _ = try LocalFileSystem.local.contentsIfPresent(of: file)
        } catch let error as FileError where error.isOfTooManyOpenFiles {
            return .unreadableFile(file, error)
        } catch {
            // The reason why the file can't be read may differ from the reason why it could not be written.
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
            "The file \(path.debugDescription) is not a property list, so it was not changed. Repair the file, or rename it to start with an empty one.",
            path: path,
            underlying: error
        )
    }

    fileprivate static func unreadableFile(_ path: String, _ error: FileError) -> StoreError {
        let (code, advice): (StoreError.Code, String) =
            switch error.code {
            case .notPermitted: (.notPermitted, "Check the file's permissions")
            case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
                (.tooManyOpenFiles, "Close some files, or raise the open-file limit")
            default: (.inputOutput, "Check the disk")
            }
        return StoreError(
            code,
            "The file \(path.debugDescription) can't be read, so nothing was written to it. \(advice), and try again.",
            path: path,
            underlying: error
        )
    }

    fileprivate static func unknownFile(_ path: String) -> StoreError {
        StoreError(
            .inputOutput,
            "Foundation treats the file \(path.debugDescription) as empty, so nothing was written. Before the program reads the whole domain, read a key, for example with `_ = userDefaults.object(forKey: \"\")`.",
            path: path
        )
    }

    fileprivate static let notWritten = StoreError(
        .inputOutput,
        "UserDefaults could not write its file, so the previous values were restored. Make sure that the file's folder is writable and that the disk has free space."
    )
}
