/// Options for opening a ``DeviceStore``.
public struct DeviceStoreOptions: Sendable {
    /// The policy for opening a file in which synced data is corrupt or missing.
    public enum DamagePolicy: Sendable, Hashable {
        /// Opening the store throws `damaged`, and the file is left unchanged.
        case refuse
        /// The store opens with the intact entries of the file, and writes throw `readOnly`.
        ///
        /// The file is left unchanged.
        case readOnly
        /// The file is backed up and replaced with a file that contains the intact entries.
        ///
        /// ``DeviceStore/damage`` lists the keys whose values may be outdated.
        case quarantine
    }

    /// The method that a ``DeviceStore`` uses to write its file.
    public enum IO: Sendable, Hashable, CaseIterable {
        /// Writes each commit with one system call.
        case systemCalls
        /// Copies each commit to the memory-mapped end of the file.
        ///
        /// Most commits make no system call. The guarantees and the file format are the same as for ``systemCalls``, to which the store
        /// falls back on file systems other than ext4 and tmpfs.
        case mapped
    }

    /// The method that the store uses to write its file.
    ///
    /// The default is ``IO/mapped``, which falls back to ``IO/systemCalls`` where mapping is not safe. ``DeviceStore/io`` returns the
    /// method in use. Processes that share a store may use different methods.
    ///
    /// The control file is always memory-mapped. Therefore, a store that is not read-only installs a handler for SIGBUS, which forwards
    /// faults outside the store's mappings to the previous handler.
    public var io = IO.mapped
    /// The policy for opening a corrupt file.
    ///
    /// The default is ``DamagePolicy/refuse``.
    public var damage = DamagePolicy.refuse
    /// Whether the store is opened read-only.
    ///
    /// A read-only store is a snapshot of the file at the time of opening. Opening a store read-only creates no files, not even a control
    /// file.
    public var isReadOnly = false
    /// Whether to allow network file systems, on which locks and shared memory may not work correctly.
    ///
    /// The default is `false`.
    public var allowsNetworkFileSystem = false

    package var environment = DeviceEnvironment()

    /// Creates the default options.
    public init() {}
}
