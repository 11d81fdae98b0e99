public import Foundation
public import LarderCore
import Synchronization

/// A data source that keeps writes in a persistent outbox until its main source has accepted them.
///
/// Each write is persisted in the outbox. Writes are then sent one at a time, in the order of the calls. The future of a write settles with
/// the main source's result, or fails if the main source rejects the write. If the main source is unreachable, the future settles with the
/// written value, and the write stays in the outbox together with all later writes.
///
/// **Pending writes are sent** before the next write, before the next read of an affected key, and by ``replay()``. A read fails if the
/// pending writes to its key can't be sent, so it never returns a value older than the last write. Reads of other keys do not wait.
///
/// **Time limit.** A main source that does not answer a write within 30 seconds (by default) is considered unreachable. The write may have
/// happened. The write stays first in the outbox and is sent again.
///
/// **Cancelling a write** only ends the wait, as does a `withTimeout` timeout. The write stays in the outbox and is still sent. To remove
/// the write, call ``discard(_:)``.
///
/// **Delivery is at least once.** If the process is killed after the main source has accepted a write and before the outbox has removed it,
/// the write is sent again. A main source that must not apply a write twice has to detect duplicates by their values.
///
/// **One sender at a time**, among all objects and processes that share the outbox, holds a lease in the store. The sender renews the lease
/// during each call to the main source. The lease expires if the sender's process is killed or suspended. The future of a write that
/// another object sends settles with the written value, or fails if the main source rejects the write.
///
/// **Updates** are made in the main source, atomically, and are not kept in the outbox. They fail if the main source is unreachable.
/// Entries are read from the main source after pending writes have been sent, and changes are observed in the main source.
///
/// **Rejected writes** whose caller no longer waits are moved to ``rejected()`` and reported as a `LarderIssue`.
///
/// Queries are persisted as keys, so the main source receives `StringKeyQuery`, `IdsQuery<String>` and `AllObjectsQuery`. The outbox is
/// thread-safe.
public final class OutboxDataSource<T: Sendable>: Sendable {
    /// The policy for coalescing pending writes to the same key.
    public enum Sending: Sendable, Hashable {
        /// Sends every pending write.
        case everyWrite
        /// Sends only the last write to each key.
        ///
        /// A pending write is dropped when a later write to the same single key is added.
        case latestOfEachKey
    }

    enum Answer: Sendable {
        case value(T)
        case list([T])
        case nothing
    }

    struct State {
        typealias Early = [Int64: Result<Answer?, any Error>]

        var isSending = false
        /// Whether sending was requested again since the sender last read the outbox.
        var hasMore = false
        /// The number of writes that are being added to the outbox and whose resolvers are not registered yet.
        var adding = 0
        var waiting: [Int64: FutureResolver<Answer?>] = [:]
        /// The outcomes of writes that settled before their resolvers were registered, keyed by sequence number.
        ///
        /// If an outcome is `nil`, the write's future settles with the written value.
        var early: Early = [:]
        /// The sequence numbers of writes that were made through this outbox object and whose callers no longer wait.
        var unattended: Set<Int64> = []
        var replaying: [FutureResolver<Void>] = []
        var pause: Pause?
        var attempts = OutboxAttempts()
    }

    /// A pause in sending writes after the main source was unreachable.
    struct Pause {
        let end: Duration
        let error: any Error
    }

    let main: AnyDataSource<T>
    let queue: OutboxQueue
    let toData: any Mapper<T, Data>
    let toValue: any Mapper<Data, T>
    let sending: Sending
    let pause: Duration
    let timeLimit: Duration?
    let time: any TimeSource
    let isUnreachable: @Sendable (any Error) -> Bool
    let session: String
    let lease: OutboxLease
    let state = Mutex(State())

    /// Creates an outbox for a main source.
    ///
    /// - Parameters:
    ///   - main: The source to write to and to read from.
    ///   - store: The store that holds pending writes, under reserved keys. A `DeviceStore` preserves these writes if the process is
    ///     killed.
    ///   - name: The name that identifies the outbox in the store.
    ///   - toDataMapper: A mapper that encodes a value for the store.
    ///   - toValueMapper: A mapper that decodes a stored value.
    ///   - sending: The policy for coalescing pending writes to the same key.
    ///   - pause: The delay before sending is retried after the main source was unreachable. During this delay, only ``replay()`` sends
    ///     writes.
    ///   - lease: The lifetime of the sender's lease. After a sender has been killed, other objects and processes wait at most this long
    ///     before they send.
    ///   - timeLimit: The timeout for each write to the main source, or `nil` for no timeout. The timeout should be shorter than the time
    ///     limit of a repository that uses the outbox.
    ///   - time: The clock that measures `pause`, `lease` and `timeLimit`.
    ///   - isUnreachable: A closure that returns whether an error means that the main source is unreachable and the write must be kept. The
    ///     default is ``RetryPolicy/isWorthRetrying(_:)``.
    public init<Main: GetDataSource<T> & PutDataSource<T> & DeleteDataSource>(
        main: Main,
        store: any KeyValueStore,
        name: String,
        toDataMapper: any Mapper<T, Data>,
        toValueMapper: any Mapper<Data, T>,
        sending: Sending = .everyWrite,
        pause: Duration = .zero,
        lease: Duration = .seconds(5),
        timeLimit: Duration? = .seconds(30),
        time: any TimeSource = .system,
        isUnreachable: @escaping @Sendable (any Error) -> Bool = RetryPolicy.isWorthRetrying
    ) {
        self.main = AnyDataSource(main)
        session = UUID().uuidString
        queue = OutboxQueue(store, name: name)
        self.lease = queue.lease(for: session, length: max(lease, .milliseconds(1)), time: time)
        toData = toDataMapper
        toValue = toValueMapper
        self.sending = sending
        self.pause = pause
        self.timeLimit = timeLimit
        self.time = time
        self.isUnreachable = isUnreachable
    }

    /// Creates an outbox for a main source of `Codable` values.
    ///
    /// - Parameters:
    ///   - main: The source to write to and to read from.
    ///   - store: The store that holds pending writes, under reserved keys. A `DeviceStore` preserves these writes if the process is
    ///     killed.
    ///   - name: The name that identifies the outbox in the store.
    ///   - format: The format of the stored values.
    ///   - sending: The policy for coalescing pending writes to the same key.
    ///   - pause: The delay before sending is retried after the main source was unreachable. During this delay, only ``replay()`` sends
    ///     writes.
    ///   - lease: The lifetime of the sender's lease. After a sender has been killed, other objects and processes wait at most this long
    ///     before they send.
    ///   - timeLimit: The timeout for each write to the main source, or `nil` for no timeout. The timeout should be shorter than the time
    ///     limit of a repository that uses the outbox.
    ///   - time: The clock that measures `pause`, `lease` and `timeLimit`.
    ///   - isUnreachable: A closure that returns whether an error means that the main source is unreachable and the write must be kept. The
    ///     default is ``RetryPolicy/isWorthRetrying(_:)``.
    public convenience init<Main: GetDataSource<T> & PutDataSource<T> & DeleteDataSource>(
        main: Main,
        store: any KeyValueStore,
        name: String,
        format: CodableFormat = .json,
        sending: Sending = .everyWrite,
        pause: Duration = .zero,
        lease: Duration = .seconds(5),
        timeLimit: Duration? = .seconds(30),
        time: any TimeSource = .system,
        isUnreachable: @escaping @Sendable (any Error) -> Bool = RetryPolicy.isWorthRetrying
    ) where T: Codable {
        self.init(
            main: main,
            store: store,
            name: name,
            toDataMapper: EncodableToDataMapper<T>(format),
            toValueMapper: DataToDecodableMapper<T>(T.self, format),
            sending: sending,
            pause: pause,
            lease: lease,
            timeLimit: timeLimit,
            time: time,
            isUnreachable: isUnreachable
        )
    }

    /// Returns the pending writes, in the order in which they will be sent.
    ///
    /// - Returns: The entries of the pending writes.
    /// - Throws: `StoreError` or `CoreError.DataSerialization` if the outbox can't be read.
    public func pending() throws -> [OutboxEntry] { try queue.pending() }

    /// Returns the writes that the main source rejected after their callers had stopped waiting.
    ///
    /// - Returns: The entries of the rejected writes.
    /// - Throws: `StoreError` or `CoreError.DataSerialization` if the outbox can't be read.
    public func rejected() throws -> [OutboxEntry] { try queue.rejected() }

    /// Removes a pending or rejected write from the outbox.
    ///
    /// A write that is being sent can still reach the main source. A caller that waits for the write receives a `CancellationError`.
    ///
    /// - Parameter entry: The write to remove.
    /// - Throws: `StoreError` if the write could not be removed.
    public func discard(_ entry: OutboxEntry) throws {
        try queue.remove(entry.number)
        settle(entry.number, .failure(CancellationError()))
    }

    /// Sends all pending writes now, even during a pause.
    ///
    /// - Returns: A future that settles when all pending writes were accepted or rejected. If the main source is unreachable, the future
    ///   fails with the main source's error, and the remaining writes stay in the outbox.
    @discardableResult
    public func replay() -> Future<Void> {
        let (future, resolver) = Future<Void>.pending()
        let former = state.withLock { state in
            state.replaying.append(resolver)
            defer { state.pause = nil }
            // Set under the same lock as the resolver, so that a sender that is about to stop checks the outbox again.
            state.hasMore = true
            return state.pause
        }
        withExtendedLifetime(former) {}
        send()
        return future
    }
}

extension OutboxDataSource: GetDataSource, PutDataSource, DeleteDataSource {
    /// Sends the pending writes to a key, then reads the key's value from the main source.
    ///
    /// - Parameter query: A query for the key of the value.
    /// - Returns: A future that settles with the value. If a pending write to this key can't be sent, the future fails with the error from
    ///   that attempt.
    public func get(_ query: any KeyQuery) -> Future<T> { afterSending(query) { [main] in main.get(query) } }

    /// Sends the pending writes to the selected keys, then reads a list from the main source.
    ///
    /// - Parameter query: A query for the keys of the list.
    /// - Returns: A future that settles with the list. If a pending write to one of these keys can't be sent, the future fails with the
    ///   error from that attempt.
    public func getAll(_ query: any StoreQuery) -> Future<[T]> {
        afterSending(query) { [main] in main.getAll(query) }
    }

    /// Persists a value in the outbox and sends the value to the main source.
    ///
    /// - Parameters:
    ///   - value: The value to write. `nil` fails with `CoreError.IllegalArgument`.
    ///   - query: A query for the key of the value.
    /// - Returns: A future that settles with the main source's result, or with `value` if the main source is unreachable. If the future
    ///   fails, the write is not kept in the outbox.
    @discardableResult
    public func put(_ value: T?, in query: any KeyQuery) -> Future<T> {
        guard let value else { return Future(error: CoreError.IllegalArgument.nilValue) }
        return add(.put, query, [value]).map { answer in
            guard case .value(let answered)? = answer else { return value }
            return answered
        }
    }

    /// Persists a list in the outbox and sends the list to the main source.
    ///
    /// - Parameters:
    ///   - values: The complete list to write.
    ///   - query: A query for the keys of the list.
    /// - Returns: A future that settles with the main source's result, or with `values` if the main source is unreachable. If the future
    ///   fails, the write is not kept in the outbox.
    @discardableResult
    public func putAll(_ values: [T], in query: any StoreQuery) -> Future<[T]> {
        add(.putAll, query, values).map { answer in
            guard case .list(let answered)? = answer else { return values }
            return answered
        }
    }

    /// Persists a deletion in the outbox and sends the deletion to the main source.
    ///
    /// - Parameter query: A query that selects the keys to delete.
    /// - Returns: A future that settles when the main source has deleted the values or is unreachable. If the future fails, the deletion is
    ///   not kept in the outbox.
    @discardableResult
    public func delete(_ query: any StoreQuery) -> Future<Void> { add(.delete, query, []).map { _ in } }
}

extension OutboxDataSource: UpdateDataSource, EntriesDataSource, ObservableDataSource {
    /// Sends the pending writes to a key, then atomically changes the key's value in the main source.
    ///
    /// - Parameters:
    ///   - query: A query for the key of the value.
    ///   - change: A closure that changes the value. The main source calls the closure. A failed update is not kept in the outbox.
    /// - Returns: A future that settles with the changed value. It fails, and nothing is changed, if a write to this key is still pending
    ///   or if the main source is unreachable. It fails with `CoreError.NotImplemented` if the main source does not support updates.
    @discardableResult
    public func update(
        _ query: any KeyQuery,
        _ change: @escaping @Sendable (inout T?) throws -> Void
    ) -> Future<T?> { afterSending(query) { [main] in main.update(query, change) } }

    /// Sends the pending writes, then returns all values of the main source except lists, with their keys.
    ///
    /// - Returns: A future that settles with the entries. It fails with the error of the main source if a pending write can't be sent, and
    ///   with `CoreError.NotImplemented` if the main source can't list its entries.
    public func entries() -> Future<[DataSourceEntry<T>]> {
        afterSending(AllObjectsQuery()) { [main] in main.entries() }
    }

    /// Returns the changes that the main source reports.
    ///
    /// Pending writes are not reported before they are sent.
    ///
    /// - Parameter query: A query that selects the keys to observe.
    /// - Returns: A sequence of changes, which can be iterated only once.
    /// - Throws: `CoreError.NotImplemented` if the main source can't be observed.
    public func changes(for query: any StoreQuery) throws -> DataSourceChanges<T> { try main.changes(for: query) }
}
