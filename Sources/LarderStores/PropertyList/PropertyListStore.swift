import LarderCore
package import LarderFiles

/// A store in a single property-list file, which other programs can read.
///
/// `Documentation/Formats/property-list-v1.md` defines the format. Each commit writes a new file, syncs it, and atomically replaces the old
/// one, so a crash leaves either the old or the new content. A commit takes at least 0.3 ms, and longer for a large file. For settings that
/// change often, use a store that can write individual entries.
///
/// Several processes may use the file. Writers wait up to five seconds for the lock file. Within a process, instances for the same path
/// share their state.
public final class PropertyListStore: WholeFileStore, @unchecked Sendable {
    /// The encoding of the file.
    public struct Encoding: Sendable, Hashable {
        let form: PropertyListDocument.Encoding

        /// XML, which is human-readable and suitable for version control.
        ///
        /// This is the default encoding.
        public static let xml = Encoding(form: .xml)
        /// The binary format `bplist00`, which produces smaller files than XML.
        public static let binary = Encoding(form: .binary)
    }

    /// The policy for opening a store whose file is corrupt.
    public typealias DamagePolicy = StoreFileDamagePolicy
    /// The result of repairing a store's file.
    public typealias Repair = StoreFileRepair

    private static let capabilities = StoreCapabilities(
        survivesProcess: true,
        hasCrashAtomicTransactions: true,
        isSharedBetweenProcesses: true,
        reportsOtherProcesses: true,
        writeCost: .wholeStore,
        limitations: [
            "Every commit writes the whole file.",
            "Changes made by other processes are detected at the next read or commit. Several commits are reported as one change.",
        ]
    )

    /// Opens the store in the file at `path` and reads the file.
    ///
    /// If the file is missing, the store is empty, and the first commit creates the file.
    ///
    /// - Parameters:
    ///   - path: The path of the file. The first commit creates a missing folder with mode 0700, and the file with mode 0600.
    ///   - encoding: The encoding of a new file. An existing file keeps its encoding.
    ///   - whenDamaged: The policy for a corrupt file.
    /// - Throws: `StoreError` with code `damaged`, `newerFormat`, `invalidConfiguration`, `notPermitted`, `tooManyOpenFiles` or
    ///   `inputOutput`. The file is not changed. A `damaged` error contains the path, and the offset if it is known. The configuration is
    ///   invalid if the file may be valid but this store can't read it, for example because it is a keyed archive or encoded as UTF-16.
    public convenience init(
        path: String,
        encoding: Encoding = .xml,
        whenDamaged: DamagePolicy = .refuse
    ) throws {
        try self.init(
            WholeFile.shared(path: path, format: PropertyListFileFormat(encoding: encoding.form)),
            whenDamaged
        )
    }

    /// Opens the store on the given file system.
    ///
    /// The instance doesn't share state with other instances, even for the same path.
    package convenience init(
        path: String,
        encoding: Encoding = .xml,
        whenDamaged: DamagePolicy = .refuse,
        on fileSystem: any FileSystem,
        lockLimit: Duration = .seconds(5)
    ) throws {
        try self.init(
            WholeFile(
                path: path,
                format: PropertyListFileFormat(encoding: encoding.form),
                on: fileSystem,
                lockLimit: lockLimit
            ),
            whenDamaged
        )
    }

    private init(_ file: WholeFile<PropertyListFileFormat>, _ whenDamaged: DamagePolicy) throws {
        try super.init(file, Self.capabilities, whenDamaged: whenDamaged)
    }

    /// Makes a backup copy of a corrupt file and replaces the file with one that contains the readable entries.
    ///
    /// The copy is created in the same folder under the name `NAME.damaged-1`, or under the next free number. The copy is durable before
    /// the file is changed, and is never removed. A file that is missing or intact is left unchanged.
    ///
    /// From an XML file, this method recovers every entry before the corrupt part. It also recovers every intact entry after the corrupt
    /// part if the file is formatted as this store or Foundation formats files. From a binary file with a corrupt end, it recovers nothing.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The problems found and the number of recovered entries.
    /// - Throws: `StoreError` if the file cannot be read, was written by a newer version or is in an unsupported form, or if the copy
    ///   cannot be made. A failed repair does not change the file.
    @discardableResult
    public static func repair(path: String) throws -> Repair {
        try WholeFile(path: path, format: PropertyListFileFormat(encoding: .xml)).repair()
    }
}
