public import Foundation
public import LarderCore
import Synchronization

/// A main source whose writes are kept in a store until it has taken them: for writing without a network.
///
/// Every write is put into the outbox first, then sent; so it survives a kill at any moment. Writes are sent in the order they were asked
/// for, one after another. A write that the main source takes settles with its answer; one that it refuses fails. When the source can't be
/// reached, the write settles with the value it was given and stays in the outbox, and so does whatever comes behind it.
///
/// **What waits is sent** before the next write or read, and by ``replay()``. A read of a key whose writes could not be sent fails: what is
/// read is never older than what was written here.
///
/// **At least once:** a kill between the source's answer and its note makes the write be sent again. A source that must not do a thing
/// twice has to tell by the value.
///
/// **A write from before** that the source refuses, when nobody waits for it any more, is put aside (``rejected()``) and reported as a
/// `LarderIssue`.
///
/// Queries are kept by their keys: the main source is asked with `StringKeyQuery`, `IdsQuery<String>` and `AllObjectsQuery`. One process
/// should send at a time. It may be used from any thread.
public final class OutboxDataSource<T: Sendable>: Sendable {
    /// Which writes of one key are sent.
    public enum Sending: Sendable, Hashable {
        /// Each.
        case everyWrite
        /// The last one: an earlier one that still waits is dropped when a later one for the same single key comes.
        case latestOfEachKey
    }

    private enum Answer: Sendable {
        case value(T)
        case list([T])
        case nothing
    }

    private struct State {
        var isSending = false
        /// Whether something was added while it was sending, that it may not have seen.
        var hasMore = false
        /// How many writes have been added, or are about to be, whose resolver is not there yet.
        var adding = 0
        var waiting: [Int64: FutureResolver<Answer?>] = [:]
        /// What came of writes whose resolver was not there yet; `nil` for kept.
        var early: [Int64: Result<Answer?, any Error>] = [:]
        /// Writes of this object that nobody waits for any more.
        var unattended: Set<Int64> = []
        var replaying: [FutureResolver<Void>] = []
        var pause: Pause?
    }

    /// Since the main source could not be reached.
    private struct Pause {
        let end: Duration
        let error: any Error
    }

    private let main: AnyDataSource<T>
    private let queue: OutboxQueue
    private let toData: any Mapper<T, Data>
    private let toValue: any Mapper<Data, T>
    private let sending: Sending
    private let pause: Duration
    private let time: any TimeSource
    private let isUnreachable: @Sendable (any Error) -> Bool
    private let session = UUID().uuidString
    private let state = Mutex(State())

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
    ///   - time: What that is measured with.
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
        time: any TimeSource = .system,
        isUnreachable: @escaping @Sendable (any Error) -> Bool = RetryPolicy.isWorthRetrying
    ) {
        self.main = AnyDataSource(main)
        queue = OutboxQueue(store, name: name)
        toData = toDataMapper
        toValue = toValueMapper
        self.sending = sending
        self.pause = pause
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
    ///   - time: What that is measured with.
    ///   - isUnreachable: Whether an error means that the source could not be reached, so that the write is kept;
    ///     ``RetryPolicy/isWorthRetrying(_:)`` unless given.
    public convenience init<Main: GetDataSource<T> & PutDataSource<T> & DeleteDataSource>(
        main: Main,
        store: any KeyValueStore,
        name: String,
        format: CodableFormat = .json,
        sending: Sending = .everyWrite,
        pause: Duration = .zero,
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
        state.withLock { state in
            state.replaying.append(resolver)
            state.pause = nil
            // With the resolver: sending that is about to end looks once more.
            state.hasMore = true
        }
        send()
        return future
    }
}

extension OutboxDataSource: GetDataSource, PutDataSource, DeleteDataSource {
    /// Sends what waits, then reads one value from the main source.
    ///
    /// - Parameter query: Its key.
    /// - Returns: The value; the failure of sending, when a write of this key still waits.
    public func get(_ query: any KeyQuery) -> Future<T> { afterSending(query) { [main] in main.get(query) } }

    /// Sends what waits, then reads a list from the main source.
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

// MARK: - Sending

extension OutboxDataSource {
    private func afterSending<Value: Sendable>(
        _ query: any StorageQuery,
        _ read: @escaping @Sendable () -> Future<Value>
    ) -> Future<Value> {
        do { if try queue.first() == nil { return read() } } catch { return Future(error: error) }
        let selection = query.selection
        let now = time.monotonic
        let pause = state.withLock { state in state.pause.flatMap { now < $0.end ? $0 : nil } }
        let sent = pause.map { Future<Void>(error: $0.error) } ?? replay()
        return sent.recover { [queue] error in
            guard try !queue.pending().contains(where: { $0.touches(selection) }) else { throw error }
            return Future(())
        }.flatMap(read)
    }

    private func add(_ verb: OutboxEntry.Verb, _ query: any StorageQuery, _ values: [T]) -> Future<Answer?> {
        let (future, resolver) = Future<Answer?>.pending()
        state.withLock { $0.adding += 1 }
        let added = Result { () throws -> (number: Int64, superseded: [Int64]) in
            let encoded = try values.map { try toData.map($0) }
            return try queue.append(
                { number in
                    OutboxEntry(
                        number: number,
                        verb: verb,
                        selection: query.selection,
                        values: encoded,
                        writtenAt: time.now,
                        session: session
                    )
                },
                supersedingEarlier: sending == .latestOfEachKey
            )
        }
        let now = time.monotonic
        let (answer, isPaused) = state.withLock { state -> (Result<Answer?, any Error>?, Bool) in
            state.adding -= 1
            defer { if state.adding == 0 { state.early = [:] } }
            switch added {
            case .failure(let error): return (.failure(error), true)
            case .success((let number, _)):
                if let early = state.early.removeValue(forKey: number) { return (early, false) }
                if let pause = state.pause, now < pause.end {
                    state.unattended.insert(number)
                    return (.success(nil), true)
                }
                state.waiting[number] = resolver
                return (nil, false)
            }
        }
        if let answer { resolver.set(answer) }
        if case .success((_, let superseded)) = added {
            for number in superseded { settle(number, .success(nil)) }
        }
        if !isPaused { send() }
        return future
    }

    /// Begins to send what waits, unless that is going on.
    private func send() {
        let begins = state.withLock { state in
            state.hasMore = true
            defer { state.isSending = true }
            return !state.isSending
        }
        if begins { Task { await sendAll() } }
    }

    private func sendAll() async {
        repeat {
            state.withLock { $0.hasMore = false }
            do {
                while let entry = try queue.first() {
                    guard try await sent(entry) else { return }
                }
            } catch {
                // The outbox itself can't be read or written: nobody is left waiting.
                return stop(error, answering: .failure(error))
            }
        } while !endIfIdle()
    }

    /// Sends one write; `false` when the main source can't be reached and sending has ended.
    private func sent(_ entry: OutboxEntry) async throws -> Bool {
        let values: [T]
        do { values = try entry.values.map { try toValue.map($0) } } catch {
            try refused(entry, error)
            return true
        }
        let answer: Answer
        do {
            answer = try await self.answer(to: entry, values)
        } catch  where isUnreachable(error) {
            stop(error, answering: .success(nil))
            return false
        } catch {
            try refused(entry, error)
            return true
        }
        try queue.remove(entry.number)
        if entry.session == session { settle(entry.number, .success(answer)) }
        return true
    }

    private func answer(to entry: OutboxEntry, _ values: [T]) async throws -> Answer {
        switch entry.verb {
        case .put: return .value(try await main.put(values.first, in: entry.query).value)
        case .putAll: return .list(try await main.putAll(values, in: entry.query).value)
        case .delete:
            try await main.delete(entry.query).value
            return .nothing
        }
    }

    private func refused(_ entry: OutboxEntry, _ error: any Error) throws {
        let isUnattended =
            entry.session != session || state.withLock { $0.unattended.remove(entry.number) != nil }
        guard isUnattended else {
            try queue.remove(entry.number)
            return settle(entry.number, .failure(error))
        }
        try queue.reject(entry.number)
        IssueChannel.shared.report(
            LarderIssue(
                .writeFailed,
                "A write that had waited in an outbox was refused by the main source: look at `rejected()`.",
                key: (entry.query as? any KeyQuery)?.key,
                underlying: error
            )
        )
    }

    /// Answers whoever waits for a write of this object, now or once it has its resolver.
    private func settle(_ number: Int64, _ result: Result<Answer?, any Error>) {
        let resolver = state.withLock { state -> FutureResolver<Answer?>? in
            if state.unattended.remove(number) != nil { return nil }
            if let waiting = state.waiting.removeValue(forKey: number) { return waiting }
            if state.adding > 0 { state.early[number] = result }
            return nil
        }
        resolver?.set(result)
    }

    /// Ends sending when nothing was added since the outbox was found empty.
    private func endIfIdle() -> Bool {
        let replaying = state.withLock { state -> [FutureResolver<Void>]? in
            guard !state.hasMore else { return nil }
            state.isSending = false
            defer { state.replaying = [] }
            return state.replaying
        }
        guard let replaying else { return false }
        for resolver in replaying { resolver.set(()) }
        return true
    }

    /// Ends sending before the outbox is empty: whoever replays gets the error, and whoever waits for a write the answer.
    private func stop(_ error: any Error, answering answer: Result<Answer?, any Error>) {
        let now = time.monotonic
        let (replaying, waiting) = state.withLock { state in
            state.isSending = false
            state.pause = pause > .zero ? Pause(end: now + pause, error: error) : nil
            state.unattended.formUnion(state.waiting.keys)
            defer {
                state.replaying = []
                state.waiting = [:]
            }
            return (state.replaying, Array(state.waiting.values))
        }
        for resolver in waiting { resolver.set(answer) }
        for resolver in replaying { resolver.set(error) }
    }
}
