import LarderCore
package import LarderFiles

/// A store in one property-list file, which any program and any text editor can read:
/// `Documentation/Formats/property-list-v1.md`.
///
/// Every commit makes the whole file anew, synced, and puts it in the place of the old one in one step: so a crash leaves the
/// old file or the new one, and each commit costs 0.3 ms or more and grows with the file. For settings that change often use a
/// store that writes entries.
///
/// Several processes may use the file; they wait for each other by a lock file beside it, at most five seconds. Several
/// instances of one path in one process share their state.
public final class PropertyListStore: WholeFileStore, @unchecked Sendable {
    /// How the file is written.
    public struct Encoding: Sendable, Hashable {
        let form: PropertyListDocument.Encoding

        /// Text that people and version control can read: the default.
        public static let xml = Encoding(form: .xml)
        /// `bplist00`: smaller.
        public static let binary = Encoding(form: .binary)
    }

    /// What opening does when the file is damaged.
    public typealias DamagePolicy = StoreFileDamagePolicy
    /// What a repair found and did.
    public typealias Repair = StoreFileRepair

    private static let capabilities = StoreCapabilities(
        survivesProcess: true,
        hasCrashAtomicTransactions: true,
        isSharedBetweenProcesses: true,
        reportsOtherProcesses: true,
        writeCost: .wholeStore,
        limitations: [
            "Every commit writes the whole file.",
            "Changes of other processes are noticed at the next read or commit, several commits as one change.",
        ]
    )

    /// Opens the store in the file at `path`, and reads it.
    ///
    /// A missing file is an empty store and is made by the first commit.
    ///
    /// - Parameters:
    ///   - path: The file. Its folder is created with mode 0700 when the first commit finds it missing, the file with 0600.
    ///   - encoding: For a file that is new; an existing one keeps its own.
    ///   - whenDamaged: What to do when the file is damaged.
    /// - Throws: ``StoreError`` with code `damaged`, the path and the offset where it is known; `newerFormat`;
    ///   `invalidConfiguration` for a list that may be good, such as a keyed archive or UTF-16, but is not read here;
    ///   `notPermitted`; `tooManyOpenFiles`; `inputOutput`. The file is as it was.
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

    /// Opens the store on any file system, sharing nothing with other instances: to its file they are another process.
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

    /// Copies a damaged file aside, and puts what can be read of it in its place.
    ///
    /// The copy is `NAME.damaged-1` beside the file, or the next free number; it is on the disk before the file is touched, and
    /// nothing ever removes it. A file without damage, or no file, is left as it is.
    ///
    /// An XML file yields every entry in front of the damage and, if it is laid out as this store or Foundation does, every
    /// whole entry behind it. Of a binary file whose end is damaged nothing can be read.
    ///
    /// - Parameter path: The file.
    /// - Returns: What was found and done.
    /// - Throws: ``StoreError`` when the file cannot be read, was written by a newer version or is in a form that is not read here, or the copy cannot be made:
    ///   then the file is as it was.
    @discardableResult
    public static func repair(path: String) throws -> Repair {
        try WholeFile(path: path, format: PropertyListFileFormat(encoding: .xml)).repair()
    }
}
