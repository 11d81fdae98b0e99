#if Objects
/// A snapshot of a list, and its difference from the snapshot that the iterator returned before.
public struct ResultsUpdate: Sendable, Hashable {
    /// The snapshot.
    public let snapshot: ResultsSnapshot
    /// The difference from the preceding snapshot, or no changes in the first element.
    public let changes: ResultsChanges
}

/// An asynchronous sequence of a list's snapshots with their changes.
///
/// Each iterator starts with the current snapshot. A slow iterator receives the newest snapshot and the changes from the snapshot that it
/// returned last. An iterator keeps the list up to date as long as the iterator exists. The sequence ends when the manager is closed.
public struct ResultsUpdates: AsyncSequence, Sendable {
    /// A snapshot and its changes.
    public typealias Element = ResultsUpdate
    /// The sequence throws no errors.
    public typealias Failure = Never

    private let feed: ResultsFeed
    private let owner: Owner

    /// The list that fills a feed.
    fileprivate struct Owner: @unchecked Sendable {
        // This is safe because the list is only retained here.
        let list: AnyObject
    }

    /// Creates the sequence of a feed's snapshots.
    ///
    /// - Parameters:
    ///   - feed: The feed.
    ///   - owner: The list that fills the feed, which the sequence and its iterators retain.
    init(_ feed: ResultsFeed, owner: AnyObject) {
        self.feed = feed
        self.owner = Owner(list: owner)
    }

    /// An iterator over the successive snapshots of a list.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let mailbox: ResultsMailbox
        fileprivate let owner: Owner
        fileprivate var signals: AsyncStream<Void>.Iterator

        /// Returns the next snapshot and its changes.
        ///
        /// The first call returns the current snapshot. Later calls wait for a save that changes the list.
        ///
        /// - Returns: The update, or `nil` if the manager was closed or the task was canceled.
        public mutating func next() async -> ResultsUpdate? {
            await next(isolation: #isolation)
        }

        /// Returns the next snapshot and its changes.
        ///
        /// - Parameter actor: The actor on which the caller runs.
        /// - Returns: The update, or `nil` if the manager was closed or the task was canceled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ResultsUpdate? {
            while true {
                if let update = mailbox.take() { return update }
                guard await signals.next(isolation: actor) != nil else { return nil }
            }
        }
    }

    /// Creates an iterator whose first element is the current snapshot.
    public func makeAsyncIterator() -> AsyncIterator {
        let mailbox = feed.subscribe()
        return AsyncIterator(mailbox: mailbox, owner: owner, signals: mailbox.signals.makeAsyncIterator())
    }
}

extension ResultsController {
    /// The snapshots of the list with their changes.
    ///
    /// The sequence can be iterated on any thread. An iterator keeps the controller in memory.
    public var updates: ResultsUpdates { ResultsUpdates(feed, owner: self) }
}
#endif
