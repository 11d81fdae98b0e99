import LarderCore
package import LarderFiles

/// A store in a file of Android's `SharedPreferences`: <doc:SharedPreferences>.
///
/// It reads what Android wrote, and writes, byte for byte, what Android would; `Documentation/Formats/shared-preferences.md` says
/// how. Reading never changes anything in the file's folder. Each commit makes the whole file anew by Android's backup protocol, synced:
/// a crash leaves the old file or the new one.
///
/// **What it holds**: `bool`, `int`, `float`, `double`, `string`, and arrays of strings, none twice, which become sets and come back sorted.
/// Any other value is refused with `StoreError.Code.unsupportedValue`. An entry keeps Android's kind where the new value fits it:
/// a `double` set over a `<float>` that holds it exactly comes back as a `float`, a `float` set over a `<double>` as a `double`.
///
/// **What can't be read** of one entry is reported as an issue and by ``verify()``; the other entries can be read. While there is any
/// such thing nothing is written, until ``repair(path:)``. The same goes for a file that another program changes at the moment of a commit.
///
/// Several processes with this store may use the file, and several instances of one path in one process share their state. **Android**
/// itself knows no lock and keeps the file in memory: an app that runs there at the same time overwrites what was written here.
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
            "Arrays must be made of different strings and come back sorted; dates, data, URLs, dictionaries and unsigned numbers are refused.",
            "A double set over a <float> that holds it exactly becomes a float, a float set over a <double> becomes a double.",
            "Changes of other processes are noticed at the next read or commit, several commits as one change.",
            "A running Android app overwrites the file without looking.",
        ]
    )

    /// Opens the store in the file at `path`, and reads it, or its backup `NAME.xml.bak` if there is one.
    ///
    /// A missing file is an empty store and is made by the first commit.
    ///
    /// - Parameters:
    ///   - path: The file. Its folder is created with mode 0700 when the first commit finds it missing, the file with 0600.
    ///   - whenDamaged: What to do when the file, or an entry of it, is damaged.
    /// - Throws: ``StoreError`` with code `damaged` when the file as a whole is none of Android's, with the offset;
    ///   `invalidConfiguration` when it is in another encoding than UTF-8; `notPermitted`;
    ///   `tooManyOpenFiles`; `inputOutput`. The file is as it was.
    public convenience init(path: String, whenDamaged: StoreFileDamagePolicy = .refuse) throws {
        try self.init(WholeFile.shared(path: path, format: SharedPreferencesFileFormat()), whenDamaged)
    }

    /// Opens the store on any file system, sharing nothing with other instances: to its file they are another process.
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

    /// Copies a file that can't be read fully aside, and puts the entries that can be read in its place.
    ///
    /// The copy is `NAME.xml.damaged-1` beside the file, or the next free number; it is on the disk before the file is touched, and
    /// nothing ever removes it. A file that can be read fully, or no file, is left as it is.
    ///
    /// - Parameter path: The file.
    /// - Returns: What was found and done.
    /// - Throws: ``StoreError`` when the file cannot be read, is in another encoding than UTF-8, or the copy cannot be made: then the file is as it was.
    @discardableResult
    public static func repair(path: String) throws -> StoreFileRepair {
        try WholeFile(path: path, format: SharedPreferencesFileFormat()).repair()
    }
}
