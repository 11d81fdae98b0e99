import LarderCore
import LarderFiles

/// The delay after a failed compaction before the next automatic attempt.
///
/// Each attempt reads the whole log and is likely to fail again, so the delay doubles after each failure, from one second up to one minute.
struct CompactionPause {
    private var failures = 0
    private var end = Duration.zero
    /// The reason why the last compaction failed, or `nil` if it succeeded.
    private(set) var failure: CompactionFailure?

    /// Returns whether automatic compactions are still delayed.
    func isNow(_ time: any TimeSource) -> Bool { failures > 0 && time.monotonic < end }

    /// Records that a compaction has failed.
    ///
    /// - Returns: `true` if the failure should be reported. A persistent failure is reported only once.
    mutating func begin(_ time: any TimeSource, after failure: CompactionFailure) -> Bool {
        failures += 1
        let pause = LogFormat.firstCompactionPause * (1 << min(failures - 1, 16))
        end = time.monotonic + min(pause, LogFormat.longestCompactionPause)
        defer { self.failure = failure }
        return !failure.isLasting || self.failure != failure
    }
}

/// The reason why an automatic compaction failed.
struct CompactionFailure: Hashable {
    /// The message to report, which describes the failure and its remedy.
    let message: String
    /// Whether compactions will keep failing until the cause is fixed.
    let isLasting: Bool

    init(_ error: any Error, _ path: String) {
        let fileError = (error as? StoreError)?.underlying as? FileError ?? error as? FileError
        if let fileError, fileError.code == .notPermitted {
            isLasting = true
            message =
                "The store \(path.debugDescription) can't be compacted because this process can't create and rename files in \(FilePath.folder(of: path).debugDescription). No data is lost, but the file grows with each commit; make the folder writable for this process."
        } else if let fileError, fileError.code == .busy, fileError.operation == .rename {
            isLasting = true
            message =
                "The store \(path.debugDescription) can't be compacted because its file can't be replaced, which may mean that the file is a mount point. No data is lost, but the file grows with each commit; mount its folder instead of the file."
        } else if let error = error as? StoreError, error.code == .invalidConfiguration, fileError == nil {
            isLasting = true
            message =
                "The store \(path.debugDescription) can't be compacted, so its file grows with each commit. \(error.message)"
        } else {
            isLasting = false
            message =
                "The store \(path.debugDescription) could not be compacted, so its file grows until a compaction succeeds. No data is lost; resolve the underlying error, such as a full disk."
        }
    }
}
