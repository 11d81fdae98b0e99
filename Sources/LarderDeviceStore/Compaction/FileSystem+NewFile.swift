import LarderCore
import LarderFiles

// The file that is to take the place of a store's: written beside it under a name that nothing else may have.
extension FileSystem {
    /// The empty new file for `path`, its lock held; `nil` when somebody else has it.
    ///
    /// What one who was cut off has left is used again: whoever makes a new store removes what is there without looking for a lock, so that
    /// another file must not be made here. It may be read and written by whom `former`, whose place it is to take, may be.
    func claimNewFile(for path: String, inPlaceOf former: FileInformation) throws -> (any OpenFile)? {
        guard let file = try openNewFile(for: path, .ifMissing) else { return nil }
        try file.truncate(to: 0)
        try file.takeOver(former)
        return file
    }

    /// The same for what takes nobody's place.
    ///
    /// What is there is removed and never written to, for in a folder that others share anybody may have made it.
    func claimNewFile(for path: String) throws -> (any OpenFile)? {
        do {
            try removeStaleNewFile(for: path)
            return try openNewFile(for: path, .always)
        } catch let error as FileError where error.code == .alreadyExists {
            return nil
        }
    }

    /// A new file for `path` where there is no store, its lock held.
    ///
    /// Another file than the one that whoever has a store open that was removed may be compacting into; and locked, lest he take it for
    /// one to compact into.
    func createNewFile(for path: String) throws -> any OpenFile {
        // He may come between any two of these calls, but not for long: what he finds is that his store is gone.
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
            // Whoever had the lock may have put the file in its place meanwhile: then it must not be touched.
            return try file.lock(.exclusive, wait: false) && isStill(file, at: newPath) ? file : nil
        } catch {
            // Should it stay, whoever comes next begins it anew.
            if creation == .always { try? removeNewFile(file, for: path) }
            throw error
        }
    }

    /// Puts a new file in a place where nothing is, unless another one has its name by now; ``FileError`` with the code `alreadyExists`
    /// where something is by now.
    func putNewFile(_ file: any OpenFile, at path: String) throws {
        let newPath = path + LogFormat.newSuffix
        guard try isStill(file, at: newPath) else { throw FileError(.busy, .rename, path) }
        try renameExclusively(newPath, to: path)
        file.noteRename(to: path)
    }

    /// Removes the new file for `path`, which came to nothing, unless another one has its name by now.
    func removeNewFile(_ file: any OpenFile, for path: String) throws {
        // Not the path that the file has by now: it may be in its place already.
        let newPath = path + LogFormat.newSuffix
        if try isStill(file, at: newPath) { try remove(newPath) }
    }

    /// Removes the new file for `path` that somebody who was cut off has left.
    func removeStaleNewFile(for path: String) throws {
        let newPath = path + LogFormat.newSuffix
        guard try information(at: newPath, followingLinks: false) != nil else { return }
        let file: any OpenFile
        do {
            file = try open(newPath, FileOpenMode(isWritable: true, followsLinks: false))
        } catch let error as FileError where error.code == .notFound {
            // Whoever had it was done meanwhile.
            return
        }
        guard try file.lock(.exclusive, wait: false), try isStill(file, at: newPath) else { return }
        try remove(newPath)
    }

    /// Whether the file at `path` is this one.
    private func isStill(_ file: any OpenFile, at path: String) throws -> Bool {
        let there = try information(at: path, followingLinks: false)
        let mine = try file.information()
        return there?.inode == mine.inode && there?.device == mine.device
    }
}

extension StoreError {
    /// Throws where a store of that name could not be told from what another one keeps beside its file.
    static func checkName(_ path: String) throws {
        for suffix in [LogFormat.newSuffix, LogFormat.controlSuffix] where path.hasSuffix(suffix) {
            throw StoreError(
                .invalidConfiguration,
                "\(path) can't be the name of a store, for another one may keep its own file under it: choose one that does not end in \(suffix).",
                path: path
            )
        }
    }
}
