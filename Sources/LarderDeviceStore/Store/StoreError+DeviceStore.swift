import LarderCore
import LarderFiles

extension StoreError {
    static func damagedLog(_ path: String, at offset: Int, _ reason: String) -> StoreError {
        StoreError(
            .damaged,
            "The store \(path.debugDescription) is corrupt at offset \(offset): \(reason). Nothing was changed; call `DeviceStore.repair(at:)` or run `larder repair` to make a backup copy and keep the intact part.",
            path: path,
            offset: offset
        )
    }

    static func newerLog(_ path: String, _ what: String) -> StoreError {
        StoreError(
            .newerFormat,
            "The store \(path.debugDescription) was written by a newer version of Larder (\(what)). Update this program to a newer version of Larder.",
            path: path
        )
    }

    static func poisoned(_ path: String, by error: (any Error)?) -> StoreError {
        // Another process reports only that there was a failure, not its cause.
        let what = error == nil ? ", or another process repaired or replaced the store" : ""
        return StoreError(
            .closed,
            "A disk error occurred in the store \(path.debugDescription)\(what), so this instance can no longer write. Close the store and open it again.",
            path: path,
            underlying: error
        )
    }

    static func readOnlyLog(_ path: String) -> StoreError {
        StoreError(
            .readOnly,
            "The store \(path.debugDescription) is read-only. Open it without the read-only option, or repair it if it is corrupt.",
            path: path
        )
    }

    static func closedLog(_ path: String, _ reason: String, by error: (any Error)? = nil) -> StoreError {
        StoreError(
            .closed,
            "The store \(path.debugDescription) \(reason). Open it again.",
            path: path,
            underlying: error
        )
    }

    /// Returns the error for an open store whose control file was removed, renamed or replaced.
    static func displacedLog(_ path: String, by error: (any Error)?) -> StoreError {
        StoreError(
            .closed,
            "The control file \((path + LogFormat.controlSuffix).debugDescription) was removed, renamed or replaced while the store was open. No commit is lost; close the store and open it again.",
            path: path,
            underlying: error
        )
    }

    /// Returns the error for a store that can't be opened because another process uses it with a different control file.
    static func contestedLog(_ path: String) -> StoreError {
        StoreError(
            .busy,
            "The store \(path.debugDescription) is in use by a process with a different control file, because \((path + LogFormat.controlSuffix).debugDescription) was removed or replaced, or because the process opened the store under another name or in another container. Close the store in that process and try again.",
            path: path
        )
    }

    static func linkedLog(_ path: String, _ links: Int) -> StoreError {
        let names =
            links == 0 ? "no hard links" : counted(links, "hard link")
        return StoreError(
            .invalidConfiguration,
            "The file \(path.debugDescription) has \(names), but a store must have exactly one hard link to be written or compacted. Nothing was changed; remove the other hard links, or copy the file and use the copy.",
            path: path
        )
    }

    /// Returns the error for an open store whose log file was changed by another program.
    static func changedLog(_ path: String, at offset: Int, _ reason: String) -> StoreError {
        StoreError(
            .damaged,
            "Another program truncated or overwrote the store \(path.debugDescription) while it was open, so this process no longer writes to it: \(reason) (offset \(offset)). Save the values that you need, which can still be read, then close the store and repair it or restore a backup.",
            path: path,
            offset: offset
        )
    }

    /// Returns the error for an open store whose control file was truncated or can't be read because of a disk error.
    static func lostControl(_ path: String, by error: (any Error)?) -> StoreError {
        StoreError(
            .closed,
            "The control file of the store \(path.debugDescription) was truncated, or a disk error occurred in it, while the store was open. No commit is lost; close the store and open it again.",
            path: path,
            underlying: error
        )
    }

    /// Returns the error for a store that can't be opened because its control file was truncated while other processes used the store.
    static func truncatedControl(_ path: String) -> StoreError {
        StoreError(
            .busy,
            "The control file of the store \(path.debugDescription) was truncated while other processes had the store open, and they did not release it within 5 seconds. Close the store in those processes and try again.",
            path: path
        )
    }

    static func busyLog(_ path: String, holder: UInt64) -> StoreError {
        let who = holder == 0 ? "another process" : "process \(holder)"
        return StoreError(
            .busy,
            "The store \(path.debugDescription) is locked by \(who), which did not release it within 5 seconds. Try again.",
            path: path
        )
    }

    static func backupWithoutFile(_ path: String) -> StoreError {
        StoreError(
            .invalidConfiguration,
            "A backup of the store \(path.debugDescription) needs the path of a file that does not exist yet. Pass one.",
            path: path
        )
    }

    static func longCommit(_ path: String) -> StoreError {
        StoreError(
            .unsupportedValue,
            "The commit is larger than the maximum of \(LogFormat.maximumFrameLength) bytes. Split the commit, or store smaller values.",
            path: path
        )
    }

    static func compactedLog(_ path: String) -> StoreError {
        StoreError(
            .busy,
            "The store \(path.debugDescription) is being compacted by another process. Try again when the compaction is complete.",
            path: path
        )
    }

    static func maintainedLog(_ path: String) -> StoreError {
        StoreError(
            .busy,
            "The store \(path.debugDescription) is being compacted or backed up by another call in this process. Try again after that call has returned.",
            path: path
        )
    }

    /// Whether the cause of this error may be limited to one value in the file.
    var isOfUnreadableValue: Bool { code == .damaged || code == .inputOutput }

    /// Converts a file system error to the error for a store that can no longer be written.
    ///
    /// For a full disk, the code of the result is not `diskFull`, because freeing space would not help.
    static func failedDevice(_ error: any Error, _ path: String) -> StoreError {
        guard error is FileError else { return device(error, path) }
        return StoreError(
            .inputOutput,
            "A disk error occurred in the store \(path.debugDescription). Check the disk for errors, then close the store and open it again.",
            path: path,
            underlying: error
        )
    }

    /// Converts a file system error to a store error.
    static func device(_ error: any Error, _ path: String) -> StoreError {
        if let error = error as? StoreError { return error }
        let code: StoreError.Code
        let advice: String
        switch (error as? FileError)?.code {
        case .diskFull: (code, advice) = (.diskFull, "The disk is full. Free some space and try again")
        case .notPermitted: (code, advice) = (.notPermitted, "Access to the store was denied. Check its permissions")
        case .busy: (code, advice) = (.busy, "The store is in use. Try again")
        case .notFound, .wrongKind, .invalidPath, .unsupported, .alreadyExists:
            (code, advice) = (
                .invalidConfiguration, "This path can't be used for a store or a backup. Choose another path"
            )
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
            (code, advice) = (
                .tooManyOpenFiles,
                "The store can't open a file because too many files are open. Close other files or raise the limit"
            )
        case .tooManyThreads:
            (code, advice) = (.tooManyThreads, "The store can't start a thread. End other threads or raise the limit")
        default: (code, advice) = (.inputOutput, "Reading or writing the store failed. Check the disk and try again")
        }
        return StoreError(code, "\(advice).", path: path, underlying: error)
    }
}
