public import Foundation
public import LarderCore
import Synchronization

/// A main source whose writes are kept in a store until it has taken them: for writing without a network.
///
/// Every write is put into the outbox first, then sent; so it survives a kill at any moment. Writes are sent in the order they were asked
/// for, one after another. A write that the main source takes settles with its answer; one that it refuses fails. When the source can't be
/// reached, the write settles with the value it was given and stays in the outbox, and so does whatever comes behind it.
///
/// **What waits is sent** before the next write, before the next read of a key that it touches, and by ``replay()``. A read of a key whose
/// writes could not be sent fails: what is read is never older than what was written here. Reads of other keys do not wait.
///
/// **A source that does not answer** a write is given up after a time limit, 30 seconds unless told, and counts as one that can't be
/// reached: the write may have happened, stays at the head of the outbox and is sent again. Nothing overtakes it.
///
/// **Cancelling a write,** or giving it a time limit of your own with `withTimeout`, ends the waiting alone: the write stays in the outbox
/// and is sent. ``discard(_:)`` takes it out.
///
/// **At least once:** a kill between the source's answer and its note makes the write be sent again. A source that must not do a thing
/// twice has to tell by the value.
///
/// **One sends at a time,** among all objects and processes that have the outbox: by a lease in the store, which the sender renews while
/// the source works and which ends by itself when its process was killed or stopped. Whoever waits for a write that another object sends
/// gets the value it was given, and a failure when the source refused it.
///
/// **An update** is made in the main source, in one step, and is not kept: it fails when the source can't be reached. Entries are read
/// from the main source, after what waits was sent, and changes are those of the main source.
///
/// **A write from before** that the source refuses, when nobody waits for it any more, is put aside (``rejected()``) and reported as a
/// `LarderIssue`.
///
/// Queries are kept by their keys: the main source is asked with `StringKeyQuery`, `IdsQuery<String>` and `AllObjectsQuery`. It may be
/// used from any thread.
public final class OutboxDataSource<T: Sendable>: Sendable {
    /// Which writes of one key are sent.
    public enum Sending: Sendable, Hashable {
        /// Each.
        case everyWrite
        /// The last one: an earlier one that still waits is dropped when a later one for the same single key comes.
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
        /// Whether something was added while it was sending, that it may not have seen.
        var hasMore = false
        /// How many writes have been added, or are about to be, whose resolver is not there yet.
        var adding = 0
        var waiting: [Int64: FutureResolver<Answer?>] = [:]
        /// What came of writes whose resolver was not there yet; `nil` for kept.
        var early: Early = [:]
        /// Writes of this object that nobody waits for any more.
        var unattended: Set<Int64> = []
        var replaying: [FutureResolver<Void>] = []
        var pause: Pause?
    }

    /// Since the main source could not be reached.
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

    /// An outbox before a main source.
    ///
    /// - Parameters:
    ///   - main: Where writes go, and reads.
    ///   - store: Where they wait, under keys of Larder's own; a `DeviceStore` survives a kill.
    ///   - name: Which outbox of the store.
    ///   - toDataMapper: Encodes a value.
    ///   - toValueMapper: Decodes it.
    ///   - sending: Which writes of one key are sent.
    ///   - pause: How long after the source could not be reached nothing is sent, except by ``replay()``.
    ///   - lease: How long another object or process waits, at most, for one that was killed while it was sending.
    ///   - timeLimit: How long the main source may take for one write; `nil` for as long as it takes. Keep it below that of a repository in front of the outbox.
    ///   - time: What these are measured with.
    ///   - isUnreachable: Whether an error means that the source could not be reached, so that the write is kept;
    ///     ``RetryPolicy/isWorthRetrying(_:)`` unless given.
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

    /// An outbox before a main source of `Codable` values.
    ///
    /// - Parameters:
    ///   - main: Where writes go, and reads.
    ///   - store: Where they wait, under keys of Larder's own; a `DeviceStore` survives a kill.
    ///   - name: Which outbox of the store.
    ///   - format: How values are kept.
    ///   - sending: Which writes of one key are sent.
    ///   - pause: How long after the source could not be reached nothing is sent, except by ``replay()``.
    ///   - lease: How long another object or process waits, at most, for one that was killed while it was sending.
    ///   - timeLimit: How long the main source may take for one write; `nil` for as long as it takes. Keep it below that of a repository in front of the outbox.
    ///   - time: What these are measured with.
    ///   - isUnreachable: Whether an error means that the source could not be reached, so that the write is kept;
    ///     ``RetryPolicy/isWorthRetrying(_:)`` unless given.
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

    /// The writes that wait, in the order in which they will be sent.
    ///
    /// - Returns: They.
    /// - Throws: `StoreError`, or `CoreError.DataSerialization` when the outbox can't be read.
    public func pending() throws -> [OutboxEntry] { try queue.pending() }

    /// The writes that the main source has refused when nobody waited for them any more.
    ///
    /// - Returns: They.
    /// - Throws: `StoreError`, or `CoreError.DataSerialization` when the outbox can't be read.
    public func rejected() throws -> [OutboxEntry] { try queue.rejected() }

    /// Takes a write out of the outbox, whether it waits or was refused.
    ///
    /// One that is being sent at this moment arrives all the same. Whoever waits for it gets a `CancellationError`.
    ///
    /// - Parameter entry: The write.
    /// - Throws: `StoreError`; then it is still there.
    public func discard(_ entry: OutboxEntry) throws {
        try queue.remove(entry.number)
        settle(entry.number, .failure(CancellationError()))
    }

    /// Sends what waits, also during a pause.
    ///
    /// - Returns: Nothing, when all of it was taken or refused. Fails with the error of the main source when it can't be reached; what
    ///   is left stays.
    @discardableResult
    public func replay() -> Future<Void> {
        let (future, resolver) = Future<Void>.pending()
        let former = state.withLock { state in
            state.replaying.append(resolver)
            defer { state.pause = nil }
            // With the resolver: sending that is about to end looks once more.
            state.hasMore = true
            return state.pause
        }
        withExtendedLifetime(former) {}
        send()
        return future
    }
}

extension OutboxDataSource: GetDataSource, PutDataSource, DeleteDataSource {
    /// Reads one value from the main source, once what waits for its key was sent.
    ///
    /// - Parameter query: Its key.
    /// - Returns: The value; the failure of sending, when a write of this key still waits.
    public func get(_ query: any KeyQuery) -> Future<T> { afterSending(query) { [main] in main.get(query) } }

    /// Reads a list from the main source, once what waits for its keys was sent.
    ///
    /// - Parameter query: Says which.
    /// - Returns: The list; the failure of sending, when a write of one of these keys still waits.
    public func getAll(_ query: any StorageQuery) -> Future<[T]> {
        afterSending(query) { [main] in main.getAll(query) }
    }

    /// Keeps a value in the outbox and sends it.
    ///
    /// - Parameters:
    ///   - value: The value; `nil` fails with `CoreError.IllegalArgument`.
    ///   - query: Its key.
    /// - Returns: What the main source answered, or the value while it can't be reached. When it failed, the write is not kept.
    @discardableResult
    public func put(_ value: T?, in query: any KeyQuery) -> Future<T> {
        guard let value else { return Future(error: CoreError.IllegalArgument.nilValue) }
        return add(.put, query, [value]).map { answer in
            guard case .value(let answered)? = answer else { return value }
            return answered
        }
    }

    /// Keeps a list in the outbox and sends it.
    ///
    /// - Parameters:
    ///   - values: The whole list.
    ///   - query: Says where.
    /// - Returns: What the main source answered, or the list while it can't be reached. When it failed, the write is not kept.
    @discardableResult
    public func putAll(_ values: [T], in query: any StorageQuery) -> Future<[T]> {
        add(.putAll, query, values).map { answer in
            guard case .list(let answered)? = answer else { return values }
            return answered
        }
    }

    /// Keeps a deletion in the outbox and sends it.
    ///
    /// - Parameter query: Says what is deleted.
    /// - Returns: Nothing, also while the main source can't be reached. When it failed, the deletion is not kept.
    @discardableResult
    public func delete(_ query: any StorageQuery) -> Future<Void> { add(.delete, query, []).map { _ in } }
}

extension OutboxDataSource: UpdateDataSource, EntriesDataSource, ObservableDataSource {
    /// Sends what waits, then changes one value in the main source, in one step.
    ///
    /// - Parameters:
    ///   - query: Its key.
    ///   - change: As the main source calls it. It is not kept: what can't be done now is not done later.
    /// - Returns: The value as it is now. Fails, and changes nothing, when a write of this key still waits, when the main source can't be
    ///   reached, and with `CoreError.NotImplemented` where it has no `update`.
    @discardableResult
    public func update(
        _ query: any KeyQuery,
        _ change: @escaping @Sendable (inout T?) throws -> Void
    ) -> Future<T?> { afterSending(query) { [main] in main.update(query, change) } }

    /// Sends what waits, then lists every single value of the main source with its key.
    ///
    /// - Returns: The entries; the failure of sending when a write still waits, and `CoreError.NotImplemented` where the main source
    ///   can't list them.
    public func entries() -> Future<[DataSourceEntry<T>]> {
        afterSending(AllObjectsQuery()) { [main] in main.entries() }
    }

    /// What changes from now on in the main source: a write is told when it is sent.
    ///
    /// - Parameter query: Which keys.
    /// - Returns: A sequence for one reader.
    /// - Throws: `CoreError.NotImplemented` where the main source does not tell.
    public func changes(for query: any StorageQuery) throws -> DataSourceChanges<T> { try main.changes(for: query) }
}
