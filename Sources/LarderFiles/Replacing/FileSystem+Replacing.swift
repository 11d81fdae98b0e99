package import Foundation

extension FileSystem {
    /// Atomically replaces the content of the file at `path`.
    ///
    /// The new content is durable when this call returns. Even after a crash, the file has either the old or the new content. The folder
    /// must exist.
    ///
    /// A new file is created with `permissions`. An existing file keeps its permission bits and, if the process is allowed to set them,
    /// its owner and group. Its extended attributes and other hard links are lost. If the group can't be kept, the group gets no
    /// permissions. If `path` is a symbolic link, the target of the link is replaced, or the link itself if `followingLinks` is `false`.
    ///
    /// The new content is first written to a temporary file named `.NAME.larder-new-0`, or with a higher number if there are concurrent
    /// writers. The temporary file is removed if the call fails, or by the next replacement after a crash.
    ///
    /// - Throws: ``FileError``. The file still has its old content, unless the error says that the new content is in place.
    package func replaceContents(
        of path: String,
        with content: some ContiguousBytes,
        permissions: UInt16 = 0o600,
        followingLinks: Bool = true
    ) throws {
        let destination = followingLinks ? try resolvingLinks(in: path) : path
        let existing = try information(at: destination, followingLinks: false)
        if let existing, existing.kind == .directory { throw FileError(.wrongKind, .write, destination) }

        let temporary = try TemporaryFile(beside: destination, on: self)
        do {
            try content.withUnsafeBytes { try temporary.file.write($0, at: 0) }
            if let existing, existing.kind == .file {
                try temporary.file.takeOver(existing)
            } else if permissions != 0o600 {
                try temporary.file.setPermissions(permissions & 0o777)
            }
            try temporary.file.synchronize(.everything)
            try rename(temporary.file.path, to: destination)
        } catch {
            temporary.remove()
            throw error
        }
        // The file is already synced. Closing it frees a descriptor, which may be the last one available for opening the folder.
        try? temporary.file.close()
        do {
            try synchronizeDirectory(at: FilePath.folder(of: destination))
        } catch let error as FileError {
            throw error.adding(detail: "the new content is in place, but may be lost if the power fails")
        }
    }
}
