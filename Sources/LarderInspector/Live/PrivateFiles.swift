#if Inspector
import Foundation
import LarderCore
import LarderFiles
import Synchronization

/// The files that actions make, in a temporary folder that only this user can open.
final class PrivateFiles: Sendable {
    private let folder = Mutex<String?>(nil)

    /// Returns the path of a file that does not exist yet, in a folder of its own.
    func path(for name: String, of id: String) throws -> String {
        let folder = try root() + "/" + id
        try LocalFileSystem().createDirectory(at: folder)
        return folder + "/" + Self.fileName(name)
    }

    /// Removes the permissions of other users from a file, and returns whether there is such a file.
    func makePrivate(_ path: String) throws -> Bool {
        guard try LocalFileSystem().information(at: path) != nil else { return false }
        let file = try LocalFileSystem().open(path, .writing)
        try file.setPermissions(0o600)
        try file.close()
        return true
    }

    /// Returns the content of a file, which is read in pieces while it is sent.
    func content(of name: String, of id: String) throws -> InspectorAnswer.Body {
        let file = try LocalFileSystem().open(root() + "/" + id + "/" + Self.fileName(name), .reading)
        let offset = Mutex(0)
        return .pieces {
            let piece = try file.read(at: offset.withLock(\.self), count: 1 << 16)
            offset.withLock { $0 += piece.count }
            return piece.isEmpty ? nil : piece
        }
    }

    func remove(_ id: String) {
        guard let folder = folder.withLock(\.self) else { return }
        // The system removes what is left in temporary folders.
        try? FileManager.default.removeItem(atPath: folder + "/" + id)
    }

    func removeAll() {
        let removed = folder.withLock { folder in
            defer { folder = nil }
            return folder
        }
        if let removed { try? FileManager.default.removeItem(atPath: removed) }
    }

    private func root() throws -> String {
        try folder.withLock { folder in
            if let folder { return folder }
            let name = "larder-inspector-" + InspectorToken().digits
            let path = FileManager.default.temporaryDirectory.appending(path: name).path
            // Fails if another user has created it.
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
            folder = path
            return path
        }
    }

    private static func fileName(_ name: String) -> String {
        let safe = name.map { $0 == "/" || $0 == "\0" ? "_" : $0 }
        return safe.allSatisfy { $0 == "." } ? "file" : String(safe)
    }
}
#endif
