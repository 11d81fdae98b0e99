/// How far a long piece of work has come, for a progress bar.
public struct StoreProgress: Sendable, Hashable {
    /// How much is done: bytes or entries, as the call says; never more than ``total``.
    public let completed: Int
    /// How much there is, as far as it is known now.
    public let total: Int

    /// A state of the work.
    ///
    /// - Parameters:
    ///   - completed: How much is done; cut to `total`.
    ///   - total: How much there is.
    public init(completed: Int, total: Int) {
        self.completed = min(completed, total)
        self.total = total
    }

    /// The part that is done, from 0 to 1; 1 when there is nothing to do.
    public var fraction: Double { total > 0 ? Double(completed) / Double(total) : 1 }
}
