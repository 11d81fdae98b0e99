/// A namespace for functions that classify write errors.
public enum WriteOutcome {
    /// Returns whether a failed write may have taken effect.
    ///
    /// The outcome is unknown if the write was cancelled (`CancellationError`), timed out or was abandoned (``FutureError``), or could not
    /// be undone (``RepositoryError/Code/sourcesDiffer``).
    ///
    /// - Parameter error: The error with which the write failed.
    /// - Returns: `true` if the write may have taken effect, or `false` if the error means that no data was changed.
    @Sendable
    public static func isUnknown(_ error: any Error) -> Bool {
        switch error {
        case is CancellationError: true
        case let error as FutureError: [.timedOut, .mayHaveHappened, .abandoned].contains(error.code)
        case let error as RepositoryError: error.code == .sourcesDiffer
        default: false
        }
    }
}
