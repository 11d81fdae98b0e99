/// What is known of a write that failed.
public enum WriteOutcome {
    /// Whether an error leaves it open whether a write has happened.
    ///
    /// That is so for a write that was cancelled (`CancellationError`), that had no outcome in time or whose resolver was released
    /// (``FutureError``), or that could not be undone (``RepositoryError/Code/sourcesDiffer``).
    ///
    /// - Parameter error: The error.
    /// - Returns: `false` for all others: such an error says that nothing was changed.
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
