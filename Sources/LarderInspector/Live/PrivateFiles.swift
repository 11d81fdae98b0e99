#if Inspector
import Foundation
import LarderCore
import LarderFiles
import Synchronization

/// The files that actions make, in a temporary folder that only this user can open.
///
/// All calls may block on disk I/O.
final class PrivateFiles: Sendable {
    private struct Root {
        let path: String
        /// A file in the folder that is locked as long as this process uses the folder.
        let lock: any OpenFile
    }

    private let root = Mutex<Root?>(nil)

    private static let prefix = "larder-inspector-"
    private static let lockName = "lock"

    /// Returns the path of a file that does not exist yet, in a folder of its own.
    func path(for name: String, of id: String) throws -> String {
        let folder = try rootPath() + "/" + id
        try LocalFileSystem().createDirectory(at: folder)
        return folder + "/" + Self.fileName(name)
    }

    /// Removes the permissions of other users from a file, and returns its size, or `nil` if there is no such file.
    func makePrivate(_ path: String) throws -> Int? {
        guard try LocalFileSystem().information(at: path) != nil else { return nil }
        let file = try LocalFileSystem().open(path, .writing)
        try file.setPermissions(0o600)
        let size = try file.information().size
        try file.close()
        return size
    }

    /// Returns the content of a file, which is read in pieces while it is sent, even if the file is removed meanwhile.
    func content(of name: String, of id: String) throws -> InspectorAnswer.Body {
        let file = try LocalFileSystem().open(rootPath() + "/" + id + "/" + Self.fileName(name), .reading)
        let offset = Mutex(0)
        return .pieces {
            let piece = try file.read(at: offset.withLock(\.self), count: 1 << 16)
            offset.withLock { $0 += piece.count }
            return piece.isEmpty ? nil : piece
        }
    }

    func remove(_ id: String) {
        guard let path = root.withLock({ $0?.path }) else { return }
        // What is left is removed with the folder.
        try? FileManager.default.removeItem(atPath: path + "/" + id)
    }

    func removeAll() {
        let removed = root.withLock { root in
            defer { root = nil }
            return root
        }
        // The next inspector removes what is left.
        if let removed { try? FileManager.default.removeItem(atPath: removed.path) }
    }

    // MARK: The folder

    private func rootPath() throws -> String {
        try root.withLock { root in
            if let root { return root.path }
            let temporary = FileManager.default.temporaryDirectory.path
            Self.removeLeftovers(in: temporary)
            let created = try Self.create(temporary + "/" + Self.prefix + InspectorToken().digits)
            root = created
            return created.path
        }
    }

    /// Creates a folder that is locked before it has its name, so that no other process takes it for a leftover.
    private static func create(_ path: String) throws -> Root {
        let new = path + ".new"
        // Fails if another user has created it.
        try FileManager.default.createDirectory(
            atPath: new,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        let mode = FileOpenMode(isWritable: true, creation: .always)
        let lock = try LocalFileSystem().open(new + "/" + lockName, mode)
        _ = try lock.lock(.exclusive, wait: false)
        try LocalFileSystem().rename(new, to: path)
        return Root(path: path, lock: lock)
    }

    /// Removes the folders of processes that have ended without removing theirs.
    private static func removeLeftovers(in temporary: String) {
        let names = (try? LocalFileSystem().contentsOfDirectory(at: temporary)) ?? []
        for name in names where name.hasPrefix(prefix) && !name.hasSuffix(".new") {
            let path = temporary + "/" + name
            // The folder of another user can't be opened, and that of a running process is locked.
            guard let lock = try? LocalFileSystem().open(path + "/" + lockName, .writing),
                (try? lock.lock(.exclusive, wait: false)) == true
            else { continue }
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    private static func fileName(_ name: String) -> String {
        let safe = name.map { $0 == "/" || $0 == "\0" ? "_" : $0 }
        return safe.allSatisfy { $0 == "." } ? "file" : String(safe)
    }
}
#endif
