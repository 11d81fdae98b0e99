import LarderCore

/// An asynchronous sequence of key values, which can be iterated only once.
///
/// See `updates(_:initial:)`. Up to 1,024 unread commits are buffered. If more commits are pending, the next element
/// contains the current values. The sequence ends when the task is canceled or the store is closed.
public struct DefaultsUpdates<Element: Sendable>: AsyncSequence, Sendable {
    let changes: StoreChanges
    let first: Element?
    let transform: @Sendable (StoreEvent) -> Element?

    /// The iterator of a ``DefaultsUpdates`` sequence.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var first: Element?
        var events: StoreChanges.AsyncIterator
        let transform: @Sendable (StoreEvent) -> Element?

        /// Returns the next element, or `nil` if the task was canceled or the store was closed.
        ///
        /// - Returns: The next element, or `nil` at the end of the sequence.
        public mutating func next() async -> Element? { await next(isolation: nil) }

        /// Returns the next element, or `nil` if the task was canceled or the store was closed.
        ///
        /// - Parameter actor: The actor to which the caller is isolated.
        /// - Returns: The next element, or `nil` at the end of the sequence.
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

    /// Returns an iterator over the updates.
    ///
    /// Create only one iterator for each sequence.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(first: first, events: changes.makeAsyncIterator(), transform: transform)
    }
}
