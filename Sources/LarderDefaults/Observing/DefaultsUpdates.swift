import LarderCore

/// The values of keys as they change, for one reader; see ``DefaultsAdapter/updates(_:initial:)``.
///
/// What the reader has not taken yet is kept, up to 1,024 commits; beyond that the next element has the present values. It ends
/// when the task is cancelled or the store is closed. Iterate it once.
public struct DefaultsUpdates<Element: Sendable>: AsyncSequence, Sendable {
    let changes: StoreChanges
    let first: Element?
    let transform: @Sendable (StoreEvent) -> Element?

    /// Reads the values.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var first: Element?
        var events: StoreChanges.AsyncIterator
        let transform: @Sendable (StoreEvent) -> Element?

        /// The next element, or `nil` when the task was cancelled or the store was closed.
        ///
        /// - Returns: The next element.
        public mutating func next() async -> Element? { await next(isolation: nil) }

        /// The next element, or `nil` when the task was cancelled or the store was closed.
        ///
        /// - Parameter actor: The caller's isolation; no hop is made.
        /// - Returns: The next element.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            if let first {
                self.first = nil
                return first
            }
            while let event = await events.next(isolation: actor) {
                if let element = transform(event) { return element }
            }
            return nil
        }
    }

    /// The one iterator of this sequence.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(first: first, events: changes.makeAsyncIterator(), transform: transform)
    }
}
