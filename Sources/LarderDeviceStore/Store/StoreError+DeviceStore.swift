import LarderCore
import LarderFiles

extension StoreError {
    static func damagedLog(_ path: String, at offset: Int, _ reason: String) -> StoreError {
        StoreError(
            .damaged,
            "\(path) is damaged at offset \(offset): \(reason). Nothing was changed; `DeviceStore.repair(at:)` or `larder repair` copies the file aside and keeps what is good.",
            path: path,
            offset: offset
        )
    }

    static func newerLog(_ path: String, _ what: String) -> StoreError {
        StoreError(
            .newerFormat,
            "\(path) was written by a newer version of Larder (\(what)): use that version.",
            path: path
        )
    }

    static func poisoned(_ path: String, by error: (any Error)?) -> StoreError {
        // Whom nobody told what happened is told by a number only that anything did.
        let what = error == nil ? ", or it was repaired or replaced by another file" : ""
        return StoreError(
            .closed,
            "The disk failed under \(path)\(what), so nothing more is written to it through this store: close it and open it again.",
            path: path,
            underlying: error
        )
    }

    static func readOnlyLog(_ path: String) -> StoreError {
        StoreError(
            .readOnly,
            "\(path) was opened for reading only: open it without that option, or repair it first.",
            path: path
        )
    }

    static func closedLog(_ path: String, _ reason: String, by error: (any Error)? = nil) -> StoreError {
        StoreError(.closed, "The store at \(path) \(reason): open it again.", path: path, underlying: error)
    }

    /// To a process that had the store open.
    static func displacedLog(_ path: String, by error: (any Error)?) -> StoreError {
        StoreError(
            .closed,
            "The control file \(path)\(LogFormat.controlSuffix) was removed, renamed or replaced while the store was open. Nothing that was committed is lost: close the store and open it again.",
            path: path,
            underlying: error
        )
    }

    /// To a process that opens it.
    static func contestedLog(_ path: String) -> StoreError {
        StoreError(
            .busy,
            "The store at \(path) is in use by a process with another control file: \(path)\(LogFormat.controlSuffix) was removed or replaced while that process had the store open, or it opened the store under another name or in another container. Close the store there and try again.",
            path: path
        )
    }

    static func linkedLog(_ path: String, _ links: Int) -> StoreError {
        let names = links == 0 ? "no name in its folder any more" : "\(links) names (hard links)"
        return StoreError(
            .invalidConfiguration,
            "The file \(path) has \(names), and a store must have exactly one to be written to or compacted. Nothing was changed: remove the other names, or copy the file and use the copy.",
            path: path
        )
    }

    /// To a process that had the store open.
    static func changedLog(_ path: String, at offset: Int, _ reason: String) -> StoreError {
        StoreError(
            .damaged,
            "\(path) was cut or overwritten by another program while the store was open: \(reason) (offset \(offset)). Nothing more is written to it. What this process has in memory can still be read: save what you need, close the store, and put a backup in its place or repair it.",
            path: path,
            offset: offset
        )
    }

    /// To whoever had it open.
    static func lostControl(_ path: String, by error: (any Error)?) -> StoreError {
        StoreError(
            .closed,
            "The control file of \(path) was cut, or its disk failed, while the store was open. Nothing that was committed is lost: close the store and open it again.",
            path: path,
            underlying: error
        )
    }

    /// To whoever wants to open it.
    static func survivedControl(_ path: String) -> StoreError {
        StoreError(
            .busy,
            "The control file of \(path) was cut while others had the store open, and they did not let go of it within 5 seconds: close the store there and try again.",
            path: path
        )
    }

    static func busyLog(_ path: String, holder: UInt64) -> StoreError {
        let who = holder == 0 ? "another process" : "process \(holder)"
        return StoreError(
            .busy,
            "The store at \(path) is locked by \(who), which did not let go within 5 seconds: try again.",
            path: path
        )
    }

    static func longCommit(_ path: String) -> StoreError {
        StoreError(
            .unsupportedValue,
            "A commit takes more than the \(LogFormat.maximumFrameLength) bytes that a store of this kind allows: make it smaller.",
            path: path
        )
    }

    static func compactedLog(_ path: String) -> StoreError {
        StoreError(
            .busy,
            "The store at \(path) is being compacted by another process: try again when that is done.",
            path: path
        )
    }

    static func maintainedLog(_ path: String) -> StoreError {
        StoreError(
            .busy,
            "The store at \(path) is being compacted or backed up by another call in this process: try again when that has returned.",
            path: path
        )
    }

    /// Whether it tells that a value left in the file can't be read, and nothing of others.
    var isOfUnreadableValue: Bool { code == .damaged || code == .inputOutput }

    /// What a failure of the file system means for a store to which nothing more is written after it: never that the disk is full,
    /// for room would be of no use.
    static func failedDevice(_ error: any Error, _ path: String) -> StoreError {
        guard error is FileError else { return device(error, path) }
        return StoreError(
            .inputOutput,
            "The disk failed under the store: check it, close the store and open it again.",
            path: path,
            underlying: error
        )
    }

    /// What a failure of the file system means for a store.
    static func device(_ error: any Error, _ path: String) -> StoreError {
        if let error = error as? StoreError { return error }
        let code: StoreError.Code
        let advice: String
        switch (error as? FileError)?.code {
        case .diskFull: (code, advice) = (.diskFull, "The disk is full: free some space and try again")
        case .notPermitted: (code, advice) = (.notPermitted, "Access to the store was refused: check its permissions")
        case .busy: (code, advice) = (.busy, "The store is in use: try again")
        case .notFound, .wrongKind, .invalidPath, .unsupported, .alreadyExists:
            (code, advice) = (.invalidConfiguration, "A store can't be kept there: choose another path")
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
            (code, advice) = (.tooManyOpenFiles, "The store can't open a file: close other files or raise the limit")
        case .tooManyThreads:
            (code, advice) = (.tooManyThreads, "The store can't start a thread: end others or raise the limit")
        default: (code, advice) = (.inputOutput, "Reading or writing the store failed: check the disk")
        }
        return StoreError(code, "\(advice).", path: path, underlying: error)
    }
}
