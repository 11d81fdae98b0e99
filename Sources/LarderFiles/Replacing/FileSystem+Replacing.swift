package import Foundation

extension FileSystem {
    /// Puts `content` in the place of the file at `path` in one step: after any crash, and for every reader at any
    /// time, the old content is there or the new one, whole.
    ///
    /// When it returns, the new one survives power loss.
    ///
    /// The folder must exist. A new file has `permissions`; one that existed keeps its permission bits and, where this process may give
    /// files away, its owner, though not its extended attributes or its other hard links. A symbolic link stays and the file it leads to is replaced, unless
    /// `followingLinks` is false: then the link itself is replaced.
    ///
    /// The new content is written to `.NAME.larder-new-0` beside the file (a higher number when others write at the same
    /// time). It is removed on failure; one that a crash left behind is removed by the next replacement.
    ///
    /// - Throws: ``FileError``; the old content is still there, unless only the last step failed and the error says so.
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
        // It is on the disk, and where few files may be open its descriptor is needed for the folder.
        try? temporary.file.close()
        do {
            try synchronizeDirectory(at: FilePath.folder(of: destination))
        } catch let error as FileError {
            throw error.adding(detail: "the new content is in place, but may not survive a power loss")
        }
    }
}
