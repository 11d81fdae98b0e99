#if Objects
internal import Foundation
internal import GRDBSQLite
internal import LarderCore
internal import LarderFiles

/// A database file, or a private copy of it, that is read without a change in its folder.
final class UntracedFile: Sendable {
    /// The size and the time of the last change of a file.
    private struct Stamp: Equatable {
        let inode: UInt64
        let size: Int
        let modified: Int64

        init?(of path: String, _ files: any FileSystem) throws {
            guard let information = try files.information(at: path, followingLinks: true) else { return nil }
            (inode, size, modified) = (information.inode, information.size, information.modified)
        }

        /// Whether a change from now on has another time.
        ///
        /// The clock of file systems proceeds in steps of up to 10 ms. A file with a time in the future, such as one that was restored, gets
        /// another time when it is changed.
        var isSettled: Bool {
            let age = Int64(Date().timeIntervalSince1970 * 1e9) - modified
            return age > 20_000_000 || age < -2_000_000_000
        }
    }

    /// The number of attempts to find a moment in which nothing is written.
    private static let attempts = 100
    private static let pause = Duration.milliseconds(21)

    /// The name by which SQLite opens the file or its copy.
    let name: String
    private let path: String
    private let place: String
    /// The state of the file that is read, or `nil` if a copy is read.
    private let stamp: Stamp?
    /// The folder of the copy, or `nil` if there is no copy.
    private let folder: String?
    private let files: any FileSystem

    /// Waits for a moment in which nothing is written, and copies the file if its log contains saves or if it is small.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - size: The size in bytes up to which a file without a log is copied.
    /// - Throws: ``ObjectError`` with code `busy`, or `FileError`.
    init(of path: String, copyingUpTo size: Int) throws {
        self.path = path
        let files: any FileSystem = LocalFileSystem()
        self.files = files
        let place = try files.resolvingLinks(in: path)
        self.place = place
        try Self.check(path, place, files)
        for _ in 0..<Self.attempts {
            let stamp = try Stamp(of: place, files)
            // A program may write to the log during the copy, but a checkpoint changes the file itself.
            guard stamp?.isSettled ?? true else {
                CurrentProcess.sleep(for: Self.pause)
                continue
            }
            let log = try Stamp(of: place + "-wal", files)
            if log?.size ?? 0 == 0, stamp?.size ?? 0 > size, sqlite3_compileoption_used("USE_URI") != 0 {
                name = "file:" + Self.escaped(place) + "?immutable=1"
                (self.stamp, self.folder) = (stamp, nil)
                return
            }
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("larder-\(UUID().uuidString)")
                .path
            do {
                try files.createDirectory(at: folder)
                name = try UntouchedCopy.ofDatabase(at: place, into: folder)
                (self.stamp, self.folder) = (nil, folder)
                return
            } catch {
                Self.remove(folder)
                guard let error = error as? FileError, error.code == .busy else { throw error }
                throw Self.isBusy(path)
            }
        }
        throw Self.isBusy(path)
    }

    private static func isBusy(_ path: String) -> ObjectError {
        ObjectError(
            .busy,
            "The database is written all the time, so it can't be copied. Try again later, or open it as usual.",
            path: path
        )
    }

    /// Throws an error if this process has the file open, or if a rollback journal belongs to it.
    private static func check(_ path: String, _ place: String, _ files: any FileSystem) throws {
        // Closing a file releases the locks of all connections of this process to it.
        if let information = try files.information(at: place, followingLinks: true),
            OpenDatabases.shared.contains(information)
        {
            throw ObjectError(
                .busy,
                "This process has the database open in a SQLiteStorageManager. Inspect that manager instead.",
                path: path
            )
        }
        let journal = try Stamp(of: place + "-journal", files)
        guard journal.map({ $0.size == 0 }) ?? true else {
            throw ObjectError(
                .busy,
                "Another program is writing to the database, or was interrupted. Open the database as usual first.",
                path: path
            )
        }
    }

    deinit { end() }

    /// Throws ``ObjectError`` with code `busy` if the file was changed since it was opened.
    func check() throws {
        guard let stamp, try Stamp(of: place, files) != stamp else { return }
        throw ObjectError(
            .busy,
            "The database was changed after it was opened without a trace. Open it again to see its content.",
            path: path
        )
    }

    /// Removes the copy, if there is one.
    func end() { if let folder { Self.remove(folder) } }

    // A copy that can't be removed does no harm, and the system removes temporary files.
    private static func remove(_ folder: String) { try? FileManager.default.removeItem(atPath: folder) }

    /// Returns a path in the form of a URI.
    private static func escaped(_ path: String) -> String {
        var text = ""
        for byte in path.utf8 {
            let isPlain =
                byte < 0x80 && (Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber)
                || "/._-".utf8.contains(byte)
            let digits = String(byte, radix: 16)
            text += isPlain ? String(Unicode.Scalar(byte)) : "%" + (digits.utf8.count < 2 ? "0" : "") + digits
        }
        return text
    }
}
#endif
