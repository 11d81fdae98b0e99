import LarderCore
import LarderDeviceStore
import LarderStores

// How inspection tools open a store.
extension StoreOpener {
    /// Opens the store as it is at one moment, without changing or creating a file.
    ///
    /// Nothing is locked, and no control file or lock file is created. A device store keeps its file open and reads large values from it
    /// when they are needed; the other kinds are read into memory. What programs commit later is not seen, and writing fails with code
    /// `readOnly`. A corrupt device store opens with its readable entries.
    ///
    /// - Returns: The store, decrypted if a key was given.
    /// - Throws: ``CommandFailure`` or `StoreError` if the file can't be read, or if the store is in a cluster.
    func openUntouched() throws -> any KeyValueStore {
        let (path, kind) = try existing()
        let file = try Self.open(path, kind: kind, for: .checking)
        let base: any KeyValueStore = try (file as? WholeFileStore).map { try FrozenStore($0) } ?? file
        return try openExisting(over: base)
    }

    /// Opens the store so that later commits of all processes are seen.
    ///
    /// A device store gets a control file, and its header may be updated to record what is synced, as with every process that has it open.
    /// The process that inspects it never compacts it unless asked to. A store in a single file is not changed. A corrupt device store opens
    /// read-only with its readable entries.
    ///
    /// - Returns: The store, decrypted if a key was given.
    /// - Throws: ``CommandFailure`` or `StoreError` if the store can't be opened.
    func openToFollow() throws -> any KeyValueStore {
        if let path, ClusterAddress.isAddress(path) { return try openExisting(for: .reading) }
        let (path, kind) = try existing()
        guard kind == .device else { return try openExisting(over: Self.open(path, kind: kind, for: .reading)) }
        var options = DeviceStoreOptions()
        options.damage = .readOnly
        options.environment.compactsExpired = false
        return try openExisting(over: DeviceStore(path: path, options: options))
    }
}
