/// An engine's answer to a commit.
public enum ReplicationAnswer: Sendable {
    /// A reason for which an engine refuses a commit.
    public enum Refusal: Sendable, Hashable {
        /// An expectation did not hold.
        case expectation
        /// The identifier was refused by ``ReplicationEngine/outcome(of:drawn:)``.
        case planted
        /// The identifiers of the commit have different verdicts already, so each commit must be sent alone.
        ///
        /// This refusal is no verdict and is not remembered.
        case divided
        /// The engine can't hold a key, a value or the number of operations, for the given reason.
        case invalid(String)
    }

    /// The commit was made at the position.
    case committed(at: ReplicationPosition)
    /// The commit was refused, and nothing has changed.
    ///
    /// The position is one at or after the commit that caused the refusal.
    case refused(Refusal, at: ReplicationPosition)
    /// The engine doesn't remember verdicts about identifiers of that time. Nothing has changed, but an earlier attempt may have succeeded.
    case forgotten
    /// The commit may have been made, or may still be made, because the answer was lost.
    ///
    /// The error is the cause, if known. Sending the same commit again, or ``ReplicationEngine/outcome(of:drawn:)``, tells the verdict.
    case unknown((any Error)?)
}
