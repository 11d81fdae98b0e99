import Foundation
import LarderCore
import LarderDeviceStorage
import LarderDeviceStore
import LarderFiles
import LarderStores

/// Opens the store that the command line names; no other code of Larder opens one by path and content.
struct StoreOpener {
    /// What a command is going to do.
    enum Access {
        /// A device store is left without a trace, and shows the moment it was opened.
        case reading
        /// As for reading; of a damaged device store, what is good in it.
        case checking
        case writing
    }

    /// The file; `nil` means the device storage.
    let path: String?
    /// Whose device storage; `nil` means that of `larder` itself.
    var application: String?
    /// What the user says the file is.
    let kind: StoreKind?
    var key: EncryptionKeySource?

    /// Opens a store that must be there: a mistyped path is not answered with an empty listing.
    func openExisting(for access: Access) throws -> any KeyValueStore {
        // The key first: without it nothing is opened, and so nothing is made or changed.
        let key = try keyBytes()
        return try openExisting(openBase(for: access), key, for: access)
    }

    private func openExisting(
        _ base: any KeyValueStore,
        _ key: [UInt8]?,
        for access: Access
    ) throws -> any KeyValueStore {
        guard try key != nil && EncryptedEntries.mayBegin(in: base) else { return try opened(base, key) }
        // Only what keeps a value makes an encrypted store of an empty one.
        guard access == .writing else { return base }
        throw CommandFailure.notFound("\(base.inspectionName) is empty: keep a value in it first.")
    }

    /// Opens a store whose file may come into being with the first value.
    func openOrCreate() throws -> any KeyValueStore {
        let key = try keyBytes()
        guard let path = try location() else { return try opened(DeviceStorage.openStandard(), key) }
        let kind = try isThere(path) ? kindOfExisting(path) : kindOfNew(path)
        return try opened(Self.open(path, kind: kind, for: .writing), key)
    }

    /// What stands for the store of ``openOrCreate()`` where only a look is taken: nothing is made or changed.
    func openPreview() throws -> any KeyValueStore {
        let key = try keyBytes()
        guard let path = try location(), try !isThere(path) else {
            let base = try openBase(for: .reading)
            // Sealed, whatever it is can be kept in it.
            let isNew = try key != nil && EncryptedEntries.mayBegin(in: base)
            return isNew ? MemoryStore(name: base.inspectionName) : try opened(base, key)
        }
        let kind = try kindOfNew(path)
        // A store in a whole file makes it with the first commit.
        if kind == .device || key != nil { return MemoryStore(name: path) }
        return try Self.open(path, kind: kind, for: .reading)
    }

    /// Opens what lies in the file: of an encrypted store, the entries that are sealed.
    func openBase(for access: Access) throws -> any KeyValueStore {
        guard let path = try location() else { return try DeviceStorage.openStandard() }
        // A device storage in which nothing was kept yet is empty, and reading it makes no file.
        if self.path == nil, access != .writing, try !isThere(path) { return MemoryStore(name: path) }
        return try Self.open(path, kind: kindOfExisting(path), for: access)
    }

    /// Opens what can be looked at: the values with a key, and without one what lies in the file; and that too.
    func openForLooking(_ access: Access) throws -> (store: any KeyValueStore, base: any KeyValueStore) {
        let key = try keyBytes()
        if try location() != nil { _ = try existing() }
        let base = try openBase(for: access)
        return (key == nil ? base : try openExisting(base, key, for: access), base)
    }

    /// The file that must be there, and its kind.
    func existing() throws -> (path: String, kind: StoreKind) {
        guard let path = try location() else {
            throw CommandFailure.usage("The device storage is no file that larder chose: add --store.")
        }
        return (path, try kindOfExisting(path))
    }

    /// The store's file; `nil` where the platform keeps the device storage elsewhere.
    func location() throws -> String? {
        if let path { return path }
        if TestProcess.isCurrent, application == nil { return nil }
        return try PlatformDeviceStorage.path(DeviceStorageConfiguration(application: application ?? "larder"))
    }

    private var kindOfDeviceStorage: StoreKind? { path == nil ? .device : nil }

    private func isThere(_ path: String) throws -> Bool { try LocalFileSystem().isThere(path) }

    /// The kind of the file that must be there.
    private func kindOfExisting(_ path: String) throws -> StoreKind {
        guard let file = try LocalFileSystem().information(at: path) else {
            // What an interrupted write of Android leaves.
            if (kind ?? .ofName(path)) == .sharedPreferences, try isThere(path + ".bak") { return .sharedPreferences }
            throw CommandFailure.notFound("There is no file at \(path).")
        }
        guard file.kind != .directory else {
            throw CommandFailure.usage("\(path) is a folder: give the path of a store.")
        }
        if let kind = kindOfDeviceStorage ?? kind { return kind }
        guard let found = try StoreKind.ofFile(at: path) else { throw Self.unknownKind(path) }
        return found
    }

    /// The kind of a file that is to be made.
    private func kindOfNew(_ path: String) throws -> StoreKind {
        guard let kind = kindOfDeviceStorage ?? kind ?? StoreKind.ofName(path) else { throw Self.unknownKind(path) }
        return kind
    }

    static func open(_ path: String, kind: StoreKind, for access: Access) throws -> any KeyValueStore {
        switch kind {
        case .device:
            var options = DeviceStoreOptions()
            options.isReadOnly = access != .writing
            options.damage = access == .checking ? .readOnly : .refuse
            return try DeviceStore(path: path, options: options)
        case .propertyList: return try PropertyListStore(path: path)
        case .sharedPreferences: return try SharedPreferencesStore(path: path)
        }
    }

    /// The key, if the command line names one.
    private func keyBytes() throws -> [UInt8]? {
        guard let key else { return nil }
        #if Encryption
        return try key.bytes()
        #else
        throw CommandFailure.usage(
            "This build of larder can't decrypt: build it with `swift build --product larder --traits Command,Encryption`."
        )
        #endif
    }

    /// What is sealed in `base`, if it is encrypted; with a key, an empty one becomes so.
    private func opened(_ base: any KeyValueStore, _ key: [UInt8]?) throws -> any KeyValueStore {
        guard let key else {
            guard try !EncryptedEntries.lie(in: base) else {
                throw CommandFailure.usage(
                    "\(base.inspectionName) is encrypted: say with --key-file or --key-variable where its key is."
                )
            }
            return base
        }
        #if Encryption
        return try EncryptedStore(opening: base, keyBytes: key)
        #else
        return base
        #endif
    }

    private static func unknownKind(_ path: String) -> CommandFailure {
        let kinds = StoreKind.allCases.map { "--kind \($0.rawValue)" }.joined(separator: " or ")
        return .usage("Neither the name nor the content of \(path) says what kind of store it is: add \(kinds).")
    }
}
