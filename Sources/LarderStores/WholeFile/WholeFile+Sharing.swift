import Foundation
import LarderFiles
import Synchronization

extension WholeFile {
    /// Returns this process's instance for the file at `path`, and creates the instance if necessary.
    static func shared(path: String, format: Format) throws -> WholeFile {
        // An absolute path refers to the same file even if the process changes its current directory.
        let path = FilePath.joining(FileManager.default.currentDirectoryPath, path)
        return OpenWholeFiles.shared(
            try WholeFile(path: path, format: format),
            named: "\(Format.name) at ",
            path: \.path
        )
    }
}

/// A registry of the files that are open in this process, keyed by format and path.
private enum OpenWholeFiles {
    private struct Weak: Sendable {
        weak let file: (any AnyObject & Sendable)?
    }

    private static let files = Mutex<[String: Weak]>([:])

    static func shared<File: AnyObject & Sendable>(_ new: File, named kind: String, path: (File) -> String) -> File {
        let name = kind + path(new)
        let (file, living) = files.withLock { files -> (File, [any AnyObject & Sendable]) in
            if let file = files[name]?.file as? File { return (file, []) }
            let living = files.compactMapValues(\.file)
            files = living.mapValues { Weak(file: $0) }
            files[name] = Weak(file: new)
            return (new, Array(living.values))
        }
        // Released outside the lock, because each reference may be the last one, and `deinit` resumes readers of changes.
        withExtendedLifetime(living) {}
        return file
    }
}
