import LarderCore
import LarderFiles

// The temporary file that replaces the file of a store. The temporary file has a reserved name in the same folder.
extension FileSystem {
    /// Opens, locks and empties the temporary file that will replace the store's file at `path`.
    ///
    /// The file gets the owner and permissions of `former`, the file that it will replace. A file that an interrupted process left behind
    /// is reused.
    ///
    /// - Returns: The locked file, or `nil` if another process holds its lock.
    func claimNewFile(for path: String, inPlaceOf former: FileInformation) throws -> (any OpenFile)? {
        // No second file may be created, because a process that creates a store removes the file regardless of locks.
        guard let file = try openNewFile(for: path, .ifMissing) else { return nil }
        try file.truncate(to: 0)
        try file.takeOver(former)
        return file
    }

    /// Creates and locks an empty temporary file for a path at which there is no store.
    ///
    /// A file that an interrupted process left behind is removed, because another user may have created it in a shared folder.
    ///
    /// - Returns: The locked file, or `nil` if another process holds its lock.
    func claimNewFile(for path: String) throws -> (any OpenFile)? {
        do {
            try removeStaleNewFile(for: path)
            return try openNewFile(for: path, .always)
        } catch let error as FileError where error.code == .alreadyExists {
            return nil
        }
    }

    /// Creates and locks a temporary file for a store that does not exist yet.
    ///
    /// The lock prevents a process that is still compacting a removed store at `path` from writing to the file.
    func createNewFile(for path: String) throws -> any OpenFile {
        // A process that is compacting a removed store may interfere between any two calls, but soon detects the removal.
        for _ in 0..<10 {
            try removeIfPresent(path + LogFormat.newSuffix)
            do {
                if let file = try openNewFile(for: path, .always) { return file }
            } catch let error as FileError where error.code == .alreadyExists {
                continue
            }
        }
        throw FileError(.busy, .open, path + LogFormat.newSuffix)
    }

    private func openNewFile(for path: String, _ creation: FileOpenMode.Creation) throws -> (any OpenFile)? {
        let newPath = path + LogFormat.newSuffix
        let file = try open(newPath, FileOpenMode(isWritable: true, creation: creation, followsLinks: false))
        do {
            // The previous holder of the lock may have moved the file into place. In that case, the file must not be changed.
            return try file.lock(.exclusive, wait: false) && isStill(file, at: newPath) ? file : nil
        } catch {
            // If the file can't be removed, the next process reuses it.
            if creation == .always { try? removeNewFile(file, for: path) }
            throw error
        }
    }

    /// Renames a temporary file to `path`, unless the temporary path now refers to another file.
    ///
    /// Throws `FileError` with the code `alreadyExists` if a file exists at `path`.
    func putNewFile(_ file: any OpenFile, at path: String) throws {
        let newPath = path + LogFormat.newSuffix
        guard try isStill(file, at: newPath) else { throw FileError(.busy, .rename, path) }
        try renameExclusively(newPath, to: path)
        file.noteRename(to: path)
    }

    /// Removes the temporary file for `path`, unless the temporary path now refers to another file.
    func removeNewFile(_ file: any OpenFile, for path: String) throws {
        // The path that the file object records may differ, because the file may already have been moved into place.
        let newPath = path + LogFormat.newSuffix
        if try isStill(file, at: newPath) { try remove(newPath) }
    }

    /// Removes the temporary file for `path` if an interrupted process left it behind.
    func removeStaleNewFile(for path: String) throws {
        let newPath = path + LogFormat.newSuffix
        guard try information(at: newPath, followingLinks: false) != nil else { return }
        let file: any OpenFile
        do {
            file = try open(newPath, FileOpenMode(isWritable: true, followsLinks: false))
        } catch let error as FileError where error.code == .notFound {
            // Another process has removed or renamed the file.
            return
        }
        guard try file.lock(.exclusive, wait: false), try isStill(file, at: newPath) else { return }
        try remove(newPath)
    }

    /// Returns whether `path` still refers to `file`.
    private func isStill(_ file: any OpenFile, at path: String) throws -> Bool {
        let there = try information(at: path, followingLinks: false)
        let mine = try file.information()
        return there?.inode == mine.inode && there?.device == mine.device
    }
}

extension StoreError {
    /// Throws an error if `path` ends with a suffix that is reserved for the auxiliary files of stores.
    static func checkName(_ path: String) throws {
        for suffix in [LogFormat.newSuffix, LogFormat.controlSuffix] where path.hasSuffix(suffix) {
            throw StoreError(
                .invalidConfiguration,
                "The path \(path.debugDescription) can't be used for a store, because names that end in \(suffix.debugDescription) are reserved. Choose another name.",
                path: path
            )
        }
    }
}
