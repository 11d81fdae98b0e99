#if Objects
internal import Dispatch
internal import LarderCore

/// An asynchronous sequence of the saves in a file's history, including those of other processes.
///
/// The sequence waits for the next save, and ends when the manager is closed or when reading throws an error.
public struct HistoryUpdates: AsyncSequence, Sendable {
    /// The type of the elements, which are saves.
    public typealias Element = HistoryEntry
    /// The type of the errors that reading the history throws.
    public typealias Failure = any Error

    let token: HistoryToken?
    let read: @Sendable (HistoryToken?) async throws -> [HistoryEntry]
    let hub: ChangeHub

    /// An iterator over the saves in a file's history.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var token: HistoryToken?
        let read: @Sendable (HistoryToken?) async throws -> [HistoryEntry]
        let hub: ChangeHub
        private var signals: AsyncStream<Void>.Iterator?
        private var entries: ArraySlice<HistoryEntry> = []
        private var isFinished = false

        init(_ updates: HistoryUpdates) {
            (token, read, hub) = (updates.token, updates.read, updates.hub)
        }

        /// Returns the next save, and waits for it if necessary.
        ///
        /// - Returns: The save, or `nil` if the manager was closed.
        /// - Throws: ``ObjectError`` with code `historyExpired` if saves were removed before they were returned, or any error that occurs
        ///   while reading.
        public mutating func next() async throws -> HistoryEntry? {
            // The signals begin before the first read, so that no save is missed.
            if signals == nil { signals = hub.signals().makeAsyncIterator() }
            while !isFinished {
                if let entry = entries.popFirst() { return entry }
                do {
                    entries = try await read(token)[...]
                } catch {
                    isFinished = true
                    // The manager was closed during this read.
                    if hub.isFinished { return nil }
                    throw error
                }
                if let last = entries.last {
                    token = last.token
                } else if await signals?.next() == nil {
                    isFinished = true
                }
            }
            return nil
        }
    }

    /// Creates an iterator that begins after the sequence's token.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension SQLiteStorageManager {
    /// The maximum number of saves that ``HistoryUpdates`` reads at once.
    private static let batch = 100

    /// Returns an asynchronous sequence of the saves after a token, oldest first, which then waits for more.
    ///
    /// The saves are read on a background thread. The sequence does not keep the manager open.
    ///
    /// - Parameter token: The position after which to begin. `nil` begins with the oldest save that is kept.
    /// - Returns: An asynchronous sequence of saves.
    public func historyUpdates(after token: HistoryToken?) -> HistoryUpdates {
        HistoryUpdates(
            token: token,
            read: { [weak self] token in
                guard let self else { return [] }
                let handler = InheritedIssueHandler()
                return try await withCheckedThrowingContinuation { continuation in
                    self.valuesQueue.async {
                        continuation.resume(
                            with: handler.during { Result { try self.history(after: token, limit: Self.batch) } }
                        )
                    }
                }
            },
            hub: hub
        )
    }
}
#endif
