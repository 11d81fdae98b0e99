import LarderCore
import LarderFiles

/// After a compaction that failed: how long commits go on without trying again.
///
/// A disk that refuses one will refuse the next, and each costs what reading the whole log costs: a second is waited, then two, four,
/// up to a minute.
struct CompactionPause {
    private var failures = 0
    private var end = Duration.zero
    /// Why the last compaction failed; `nil` after one that succeeded.
    private(set) var failure: CompactionFailure?

    /// Whether it is too early to try again.
    func isNow(_ time: any TimeSource) -> Bool { failures > 0 && time.monotonic < end }

    /// Notes that a compaction has failed.
    ///
    /// - Returns: Whether that is to be reported: not if the same lasting failure was the last one.
    mutating func begin(_ time: any TimeSource, after failure: CompactionFailure) -> Bool {
        failures += 1
        let pause = LogFormat.firstCompactionPause * (1 << min(failures - 1, 16))
        end = time.monotonic + min(pause, LogFormat.longestCompactionPause)
        defer { self.failure = failure }
        return !failure.isLasting || self.failure != failure
    }
}

/// Why a compaction that was due failed.
struct CompactionFailure: Hashable {
    /// What happened, and what to do about it.
    let message: String
    /// Whether the next compaction fails too unless somebody does something about it.
    let isLasting: Bool

    init(_ error: any Error, _ path: String) {
        let fileError = (error as? StoreError)?.underlying as? FileError ?? error as? FileError
        if let fileError, fileError.code == .notPermitted {
            isLasting = true
            message =
                "\(path) cannot be compacted, because this process cannot create and rename files in \(FilePath.folder(of: path)). No data is lost, but the file grows with each commit: make the folder writable for this process."
        } else if let fileError, fileError.code == .busy, fileError.operation == .rename {
            isLasting = true
            message =
                "\(path) cannot be compacted, because it cannot be replaced: it may be a mount point. No data is lost, but the file grows with each commit: mount its folder instead of the file."
        } else if let error = error as? StoreError, error.code == .invalidConfiguration, fileError == nil {
            isLasting = true
            message =
                "\(path) cannot be compacted. No data is lost, but the file grows with each commit. \(error.message)"
        } else {
            isLasting = false
            message = "\(path) could not be compacted. No data is lost; the file grows until a compaction succeeds."
        }
    }
}
