import Foundation
import LarderFiles
import Synchronization

extension WholeFile {
    /// The one state of the file at `path` in this process.
    static func shared(path: String, format: Format) throws -> WholeFile {
        // Absolute, so that it stays the same file when the process changes its folder.
        let path = FilePath.joining(FileManager.default.currentDirectoryPath, path)
        return OpenWholeFiles.shared(
            try WholeFile(path: path, format: format),
            named: "\(Format.name) at ",
            path: \.path
        )
    }
}

/// The files that are open in this process, by kind and path.
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
        // Each of these may be the last reference by now, and the end of a file resumes the readers of its changes.
        withExtendedLifetime(living) {}
        return file
    }
}
