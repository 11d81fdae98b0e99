import LarderCore
package import LarderFiles

/// A store in a file that Android's `SharedPreferences` can also use.
///
/// The store reads files that Android wrote, and writes the same bytes as Android would. See <doc:SharedPreferences>, and
/// `Documentation/Formats/shared-preferences.md` for the format. Reading never changes anything on disk. Each commit writes and syncs a new
/// file with Android's backup protocol, so a crash leaves either the old or the new content.
///
/// **Supported values**: `bool`, `int`, `float`, `double`, `string`, and arrays of distinct strings, which are stored as sets and returned
/// in sorted order. Other values throw `StoreError.Code.unsupportedValue`. An entry keeps its Android type if the new value fits. For
/// example, a `double` that replaces a `<float>` is returned as a `float` if a `float` can represent it exactly, and a `float` that
/// replaces a `<double>` is returned as a `double`.
///
/// **Unreadable entries** are reported as issues and by `verify()`. All other entries can be read. Commits throw an error until
/// ``repair(path:)`` is called. A commit also throws an error if another program changes the file at the same time.
///
/// Several processes may use the file through this type. Within a process, instances for the same path share their state. **Android**
/// itself uses no lock and caches the file in memory, so a running Android app overwrites the commits of this store.
public final class SharedPreferencesStore: WholeFileStore, @unchecked Sendable {
    private static let capabilities = StoreCapabilities(
        survivesProcess: true,
        hasCrashAtomicTransactions: true,
        isSharedBetweenProcesses: true,
        reportsOtherProcesses: true,
        exactKinds: [.bool, .int, .float, .double, .string],
        writeCost: .wholeStore,
        limitations: [
            "Every commit writes the whole file.",
            "Arrays must consist of distinct strings and are returned in sorted order. Dates, data, URLs, dictionaries and unsigned numbers are not supported.",
            "A double that replaces a <float> becomes a float if a float can represent it exactly. A float that replaces a <double> becomes a double.",
            "Changes made by other processes are detected at the next read or commit. Several commits are reported as one change.",
            "A running Android app overwrites the file without checking for changes.",
        ]
    )

    /// Opens a store and reads the file at `path`, or the backup `NAME.xml.bak` if there is one.
    ///
    /// If the file is missing, the store is empty, and the first commit creates the file.
    ///
    /// - Parameters:
    ///   - path: The path of the file. The first commit creates a missing folder with mode 0700, and the file with mode 0600.
    ///   - whenDamaged: The policy for a file with unreadable parts.
    /// - Throws: `StoreError` with code `damaged` and the offset if the file is not an Android shared preferences file, or
    ///   `invalidConfiguration` if its encoding is not UTF-8. Other codes are `notPermitted`, `tooManyOpenFiles` and `inputOutput`. The
    ///   file is not changed.
    public convenience init(path: String, whenDamaged: StoreFileDamagePolicy = .refuse) throws {
        try self.init(WholeFile.shared(path: path, format: SharedPreferencesFileFormat()), whenDamaged)
    }

    /// Opens the store on the given file system.
    ///
    /// The instance doesn't share state with other instances, even for the same path.
    package convenience init(
        path: String,
        whenDamaged: StoreFileDamagePolicy = .refuse,
        on fileSystem: any FileSystem,
        lockLimit: Duration = .seconds(5)
    ) throws {
        let format = SharedPreferencesFileFormat()
        try self.init(
            WholeFile(path: path, format: format, on: fileSystem, lockLimit: lockLimit),
            whenDamaged
        )
    }

    private init(_ file: WholeFile<SharedPreferencesFileFormat>, _ whenDamaged: StoreFileDamagePolicy) throws {
        try super.init(file, Self.capabilities, whenDamaged: whenDamaged)
    }

    /// Makes a backup copy of a partly unreadable file, and replaces the file with one that contains only the readable entries.
    ///
    /// The copy is created in the same folder and named `NAME.xml.damaged-1`, or with the next unused number. The copy is durable before
    /// the file is changed, and is never removed. A file that is missing or fully readable is left unchanged.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The problems found and the number of recovered entries.
    /// - Throws: `StoreError` if the file cannot be read or its encoding is not UTF-8, or if the copy cannot be made. A failed repair does
    ///   not change the file.
    @discardableResult
    public static func repair(path: String) throws -> StoreFileRepair {
        try WholeFile(path: path, format: SharedPreferencesFileFormat()).repair()
    }
}
