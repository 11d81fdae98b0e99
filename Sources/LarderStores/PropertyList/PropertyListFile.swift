import Foundation
import LarderCore
import LarderFiles
import Synchronization

/// The state behind every ``PropertyListStore`` of one file in one process.
///
/// Memory is a copy of the file as it was last seen. Every read looks whether the file at the path is still that one; every
/// commit holds the lock file, reads what others have written, and puts a new file in the place of the old one before memory
/// changes.
final class PropertyListFile: Sendable {
    struct State {
        var table = StoreTable()
        var revision: UInt64 = 0
        var encoding: PropertyListDocument.Encoding
        /// What was at the path when `table` was read; `nil` when nothing was.
        var seen: FileInformation?
        /// Whether `table` is what `seen` says, rather than what it was before a failure.
        var isLoaded = false
        /// Held open, so that the file's number can't be given to a later one while we compare by it.
        var pin: (any OpenFile)?
    }

    /// Every symbolic link followed.
    let path: String
    let fileSystem: any FileSystem
    let issues = IssueChannel(label: "larder.property-list")
    let hub = StoreChangeHub()
    let lockLimit: Duration
    let state: Mutex<State>
    /// Held during a commit, so that threads of this process do not wait for the lock file while they hold `state`.
    let committing = Mutex<Void>(())

    init(
        path: String,
        encoding: PropertyListDocument.Encoding,
        on fileSystem: any FileSystem,
        lockLimit: Duration
    ) throws {
        self.fileSystem = fileSystem
        self.lockLimit = lockLimit
        self.path = try StoreError.wrapping(path) { try fileSystem.resolvingLinks(in: path) }
        state = Mutex(State(encoding: encoding))
    }

    deinit { hub.finish() }

    // MARK: - Reading

    /// Runs `body` on what the file holds now.
    func read<Result>(_ body: (State) throws -> Result) throws -> Result {
        let result = try state.withLock { state in
            try refresh(&state)
            return try body(state)
        }
        hub.deliver()
        return result
    }

    /// Brings the state up to what is at the path.
    func refresh(_ state: inout State) throws {
        let information = try StoreError.wrapping(path) {
            try fileSystem.information(at: path, followingLinks: true)
        }
        if state.isLoaded, information == state.seen { return }
        // From here on a failure leaves the old entries, but nobody is shown them.
        let wasLoaded = state.isLoaded
        state.isLoaded = false
        let loaded = try load()
        adopt(loaded, in: &state, origin: wasLoaded ? .anotherProcess : nil)
    }

    /// What is at a path.
    struct Loaded {
        var table = StoreTable()
        var encoding: PropertyListDocument.Encoding?
        var seen: FileInformation?
        var pin: (any OpenFile)?
    }

    private func load() throws -> Loaded {
        guard let (bytes, information, file) = try contents() else { return Loaded() }
        let (table, encoding) = try Self.decode(bytes, path: path)
        return Loaded(table: table, encoding: encoding, seen: information, pin: file)
    }

    /// The bytes of the file, or `nil` when there is none.
    func contents() throws -> (bytes: [UInt8], information: FileInformation, file: any OpenFile)? {
        try StoreError.wrapping(path) {
            do {
                let file = try fileSystem.open(path, .reading)
                let information = try file.information()
                guard information.kind == .file else { throw FileError(.wrongKind, .read, path) }
                guard information.size <= 1 << 30 else {
                    throw FileError(.unsupported, .read, path, detail: "it is larger than 1 GiB")
                }
                return (try file.read(at: 0, count: information.size), information, file)
            } catch let error as FileError where error.code == .notFound {
                return nil
            }
        }
    }

    private func adopt(_ loaded: Loaded, in state: inout State, origin: StoreChange.Origin?) {
        if let origin {
            let change = loaded.table.changes(since: state.table, origin: origin)
            if !change.isEmpty {
                state.revision &+= 1
                hub.publish(change.published)
            }
        }
        state.table = loaded.table
        state.encoding = loaded.encoding ?? state.encoding
        state.seen = loaded.seen
        state.pin = loaded.pin
        state.isLoaded = true
    }

    // MARK: - Writing

    /// Carries out a batch that was validated.
    ///
    /// - Returns: Whether it was carried out, and what to report once no lock is held.
    func commit(_ batch: StoreBatch) throws -> (isCommitted: Bool, unconfirmed: FileError?) {
        defer { hub.deliver() }
        return try withCommitLock {
            try state.withLock { state in
                try refresh(&state)
                guard state.table.fulfils(batch) else { return (false, nil) }
                var next = state.table
                let change = next.apply(batch)
                if change.isEmpty { return (true, nil) }
                let unconfirmed = try replace(with: next, in: &state)
                state.revision &+= 1
                hub.publish(change.published)
                return (true, unconfirmed)
            }
        }
    }

    /// Keeps every other writer out, of this process and of others.
    func withCommitLock<Result>(_ body: () throws -> Result) throws -> Result {
        try committing.withLock { _ in
            let lock = try StoreError.wrapping(path) {
                let folder = FilePath.folder(of: path)
                if try fileSystem.information(at: folder, followingLinks: true) == nil {
                    try fileSystem.createDirectory(at: folder)
                }
                return try LockFile(at: path + ".lock", on: fileSystem).acquire(within: lockLimit)
            }
            defer { lock.release() }
            return try body()
        }
    }

    /// Puts a file with the entries of `table` at the path, then into memory.
    ///
    /// - Returns: Why the disk did not confirm a file that is in place, if it did not.
    private func replace(with table: StoreTable, in state: inout State) throws -> FileError? {
        let bytes = Self.encode(table, as: state.encoding)
        var unconfirmed: FileError?
        do {
            try fileSystem.replaceContents(of: path, with: bytes)
        } catch let error as FileError {
            // The new file is in place already when only the folder can't be synced: everybody can see the commit.
            guard error.operation == .synchronize, error.path == FilePath.folder(of: path) else {
                throw StoreError(error, path: path)
            }
            unconfirmed = error
        }
        state.table = table
        state.isLoaded = false
        // A failure here costs only reading the file again.
        if let file = try? fileSystem.open(path, .reading), let information = try? file.information() {
            state.pin = file
            state.seen = information
            state.isLoaded = true
        }
        return unconfirmed
    }

    /// Waits until the disk has confirmed the file and its name.
    func flush() throws {
        try StoreError.wrapping(path) {
            do {
                let file = try fileSystem.open(path, .reading)
                try file.synchronize(.everything)
                try file.close()
                try fileSystem.synchronizeDirectory(at: FilePath.folder(of: path))
            } catch let error as FileError where error.code == .notFound {
                return
            }
        }
    }

    // MARK: - Bytes

    static func encode(_ table: StoreTable, as encoding: PropertyListDocument.Encoding) -> [UInt8] {
        let form = PropertyListForm.file
        return PropertyListDocument.bytes(
            of: StoredDictionary(table.allEntries.lazy.map { (form.key(for: $0.key.text), form.plain($0.value)) }),
            as: encoding
        )
    }

    static func decode(_ bytes: [UInt8], path: String) throws -> (StoreTable, PropertyListDocument.Encoding) {
        let root: StoredValue
        do {
            root = try PropertyListDocument.root(of: bytes)
        } catch let damage as PropertyListDamage {
            throw StoreError.damagedPropertyList(path, damage.reason, offset: damage.offset)
        }
        guard case .dictionary(let entries) = root else {
            throw StoreError.damagedPropertyList(path, "its root is no dictionary", offset: 0)
        }
        var table = StoreTable()
        for entry in entries {
            do {
                let (key, value) = try decode(entry)
                guard table[StoreKey(key)] == nil else {
                    throw PropertyListForm.damaged("a key is there twice, plain and escaped", path: [key])
                }
                table[StoreKey(key)] = value
            } catch let error as StoreError {
                if error.code == .damaged { throw StoreError.damagedPropertyList(path, error.message, key: error.key) }
                throw StoreError(error.code, "\(path): \(error.message)", key: error.key, path: path)
            }
        }
        return (table, PropertyListDocument.encoding(of: bytes))
    }

    static func decode(_ entry: StoredDictionary.Entry) throws -> (key: String, value: StoredValue) {
        let key = try PropertyListForm.file.text(ofKey: entry.key)
        return (key, try PropertyListForm.file.value(ofPlain: entry.value, path: [key]))
    }
}
