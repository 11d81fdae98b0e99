import Foundation
import LarderCore
import LarderDeviceStorage
import LarderDeviceStore
import LarderFiles
import LarderStores

/// A helper that opens the store specified by the command-line options.
///
/// The kind of store is specified by an option, or detected from the contents or the name of the file.
struct StoreOpener {
    /// The access mode of a store.
    enum Access {
        /// Read-only access, in which a device store writes no files.
        case reading
        /// Read-only access that tolerates corruption in a device store and returns the values that can be read.
        case checking
        case writing
    }

    /// The path of the store's file, or the address of a store in a cluster, or `nil` to open the device storage.
    let path: String?
    /// The name of the program whose device storage to open, or `nil` to open the device storage of `larder` itself.
    var application: String?
    /// The kind of store that the user specified, or `nil` to detect the kind.
    let kind: StoreKind?
    var key: EncryptionKeySource?

    /// Opens an existing store, or throws an error if its file doesn't exist.
    func openExisting(for access: Access) throws -> any KeyValueStore {
        // The key is read first, so that nothing is opened or changed without a valid key.
        let key = try keyBytes()
        return try openExisting(openBase(for: access), key, for: access)
    }

    /// Returns a store that decrypts `base` with the key of the options, or `base` itself if it is not encrypted.
    func openExisting(over base: any KeyValueStore) throws -> any KeyValueStore {
        try openExisting(base, keyBytes(), for: .checking)
    }

    private func openExisting(
        _ base: any KeyValueStore,
        _ key: [UInt8]?,
        for access: Access
    ) throws -> any KeyValueStore {
        guard try key != nil && EncryptedEntries.mayBegin(in: base) else { return try opened(base, key) }
        // Only commands that write a value may encrypt an empty store.
        guard access == .writing else { return base }
        throw CommandFailure.notFound(
            "The store \(base.inspectionName.debugDescription) is empty, so there is nothing to decrypt. Store a value in it first."
        )
    }

    /// Opens the store, which is created by the first write if its file doesn't exist.
    func openOrCreate() throws -> any KeyValueStore {
        let key = try keyBytes()
        if let cluster = try openCluster(.isCreated) { return try opened(cluster, key) }
        guard let path = try location() else { return try opened(StandardStore.open(), key) }
        let kind = try isThere(path) ? kindOfExisting(path) : kindOfNew(path)
        return try opened(Self.open(path, kind: kind, for: .writing), key)
    }

    /// Opens a store for a dry run, which creates and changes no files.
    func openPreview() throws -> any KeyValueStore {
        let key = try keyBytes()
        if let cluster = try openCluster(.isAnError) {
            let isNew = try key != nil && EncryptedEntries.mayBegin(in: cluster)
            return isNew ? MemoryStore(name: cluster.inspectionName) : try opened(cluster, key)
        }
        guard let path = try location(), try !isThere(path) else {
            let base = try openBase(for: .reading)
            // An encrypted store can hold any value, regardless of its underlying store.
            let isNew = try key != nil && EncryptedEntries.mayBegin(in: base)
            return isNew ? MemoryStore(name: base.inspectionName) : try opened(base, key)
        }
        let kind = try kindOfNew(path)
        // A single-file store creates its file with the first commit.
        if kind == .device || key != nil { return MemoryStore(name: path) }
        return try Self.open(path, kind: kind, for: .reading)
    }

    /// Opens the store without decrypting it.
    ///
    /// If the store is encrypted, the returned store holds the encrypted entries.
    func openBase(for access: Access) throws -> any KeyValueStore {
        if let cluster = try openCluster(.isAnError) { return cluster }
        guard let path = try location() else { return try StandardStore.open() }
        // A device storage without a file is empty, and reading it must not create the file.
        if self.path == nil, access != .writing, try !isThere(path) { return MemoryStore(name: path) }
        return try Self.open(path, kind: kindOfExisting(path), for: access)
    }

    /// Opens the store for inspection.
    ///
    /// - Returns: The store, decrypted if a key was given, and the underlying store with the encrypted entries.
    func openForLooking(_ access: Access) throws -> (store: any KeyValueStore, base: any KeyValueStore) {
        let key = try keyBytes()
        if try location() != nil { _ = try existing() }
        let base = try openBase(for: access)
        return (key == nil ? base : try openExisting(base, key, for: access), base)
    }

    /// Opens the store in a cluster, or returns `nil` if the store is on this machine.
    private func openCluster(_ missing: ClusterConnection.MissingStore) throws -> ClusterStore? {
        guard let address = try path.flatMap({ try ClusterAddress($0) }) else { return nil }
        return try ClusterStore(address, missing)
    }

    /// Returns the path and the kind of an existing store, or throws an error if its file doesn't exist.
    func existing() throws -> (path: String, kind: StoreKind) {
        if path.map(ClusterAddress.isAddress) ?? false {
            throw CommandFailure.usage(
                "A store in a cluster has no file on this machine. Copy it to a file with `larder replicate snapshot`."
            )
        }
        guard let path = try location() else {
            throw CommandFailure.usage(
                "The device storage has no file that larder can open. Specify the path of a store's file with --store."
            )
        }
        return (path, try kindOfExisting(path))
    }

    /// Returns the path of the store's file, or `nil` if the device storage has no file or the store is in a cluster.
    func location() throws -> String? {
        if let path { return ClusterAddress.isAddress(path) ? nil : path }
        if TestProcess.isCurrent, application == nil { return nil }
        return try PlatformStandardStore.path(StandardStoreConfiguration(application: application ?? "larder"))
    }

    private var kindOfDeviceStorage: StoreKind? { path == nil ? .device : nil }

    private func isThere(_ path: String) throws -> Bool { try LocalFileSystem().isThere(path) }

    /// Returns the kind of store in an existing file, or throws an error if the file doesn't exist.
    private func kindOfExisting(_ path: String) throws -> StoreKind {
        guard let file = try LocalFileSystem().information(at: path) else {
            // If Android is interrupted while it writes, it leaves only the backup file.
            if (kind ?? .ofName(path)) == .sharedPreferences, try isThere(path + ".bak") { return .sharedPreferences }
            throw CommandFailure.missingFile(path)
        }
        guard file.kind != .directory else {
            throw CommandFailure.usage(
                "The path \(path.debugDescription) is a folder. Specify the path of a store's file."
            )
        }
        if let kind = kindOfDeviceStorage ?? kind { return kind }
        guard let found = try StoreKind.ofFile(at: path) else { throw Self.unknownKind(path) }
        return found
    }

    /// Returns the kind of store to create at a path.
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

    /// Returns the encryption key, or `nil` if no key option was given.
    private func keyBytes() throws -> [UInt8]? {
        guard let key else { return nil }
        #if Encryption
        return try key.bytes()
        #else
        throw CommandFailure.usage(
            "This build of larder can't decrypt stores. Build it with `swift build --product larder --traits Command,Encryption`."
        )
        #endif
    }

    /// Returns a store that decrypts `base`, or `base` itself if it is not encrypted.
    ///
    /// If a key is given and `base` is empty, `base` becomes an encrypted store.
    private func opened(_ base: any KeyValueStore, _ key: [UInt8]?) throws -> any KeyValueStore {
        guard let key else {
            guard try !EncryptedEntries.exist(in: base) else {
                throw CommandFailure.usage(
                    "The store \(base.inspectionName.debugDescription) is encrypted. Specify its key with --key-file or --key-variable."
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
        return .usage(
            "The kind of store can't be detected from the name or content of \(path.debugDescription). Add \(kinds)."
        )
    }
}
