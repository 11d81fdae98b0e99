/// The progress of a long operation.
public struct StoreProgress: Sendable, Hashable {
    /// The amount of completed work, which never exceeds ``total``.
    ///
    /// Each operation documents whether it counts bytes or entries.
    public let completed: Int
    /// The currently known total amount of work, in the same unit as ``completed``.
    public let total: Int

    /// Creates a value that describes the progress of an operation.
    ///
    /// - Parameters:
    ///   - completed: The amount of completed work, which is clamped to `total`.
    ///   - total: The total amount of work.
    public init(completed: Int, total: Int) {
        self.completed = min(completed, total)
        self.total = total
    }

    /// The completed fraction from 0 to 1, which is 1 if the total is zero.
    public var fraction: Double { total > 0 ? Double(completed) / Double(total) : 1 }
}
