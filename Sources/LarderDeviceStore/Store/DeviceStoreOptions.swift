/// How a ``DeviceStore`` is opened.
public struct DeviceStoreOptions: Sendable {
    /// What to do with a file whose content, already confirmed by the disk, is not what was written.
    public enum DamagePolicy: Sendable, Hashable {
        /// Opening throws ``StoreError/Code/damaged``; the file stays as it is.
        case refuse
        /// The good part can be read, writing throws ``StoreError/Code/readOnly``; the file stays as it is.
        case readOnly
        /// The file is copied aside and replaced by its good part; ``DeviceStore/damage`` tells what is in doubt.
        case quarantine
    }

    /// How a ``DeviceStore`` reaches its file.
    public enum IO: Sendable, Hashable, CaseIterable {
        /// Each commit is written by one system call.
        case systemCalls
        /// Commits are stored to the end of the file through a map: no system call for most.
        ///
        /// Only on file systems that are known to be safe for it, ext4 and tmpfs; elsewhere the store falls back to
        /// ``systemCalls``. What is promised and what is in the file is the same.
        case mapped
    }

    /// How the file is written: ``IO/mapped`` by default, which is ``IO/systemCalls`` where that is not safe.
    ///
    /// ``DeviceStore/io`` says which it came to. Processes that share a store may differ.
    ///
    /// In either way the control file is mapped. A store that is not only read installs a handler for SIGBUS that looks after its own
    /// maps and leaves every other to the handler that was there.
    public var io = IO.mapped
    /// What to do with a damaged file: ``DamagePolicy/refuse`` by default.
    public var damage = DamagePolicy.refuse
    /// Whether the store is only read.
    ///
    /// It then shows the moment it was opened and leaves no trace, not even a control file.
    public var isReadOnly = false
    /// Whether the store may lie on a network file system, where locks and shared memory may not work as they must.
    public var allowsNetworkFileSystem = false

    package var environment = DeviceEnvironment()

    /// The defaults.
    public init() {}
}
