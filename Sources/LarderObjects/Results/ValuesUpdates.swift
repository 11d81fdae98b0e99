#if Objects
public import Foundation
internal import LarderCore
internal import Synchronization

/// A snapshot of a list of values, and its difference from the snapshot that the iterator returned before.
public struct ValuesUpdate<Value: Sendable & Equatable>: Sendable, Equatable {
    /// The snapshot.
    public let snapshot: ValuesSnapshot<Value>
    /// The difference from the preceding snapshot, or no changes in the first element.
    ///
    /// An object is an update if its value differs, even if only a related object has changed.
    public let changes: ResultsChanges
}

/// An asynchronous sequence of a list's snapshots, with values that a closure makes from the objects.
///
/// Each iterator starts with the current snapshot. Saves during a slow iteration are coalesced into one element, and saves that change
/// neither the list nor a value are ignored. The sequence ends when the manager is closed, or when reading throws an error.
public struct ValuesUpdates<Value: Sendable & Equatable>: AsyncSequence, Sendable {
    /// A snapshot and its changes.
    public typealias Element = ValuesUpdate<Value>
    /// The type of the errors that reading the database or the closure throws.
    public typealias Failure = any Error

    let follow: @Sendable () -> ValuesFollower<Value>?

    /// An iterator over the successive snapshots of a list.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let follow: @Sendable () -> ValuesFollower<Value>?
        private var follower: ValuesFollower<Value>?
        private var signals: AsyncStream<Void>.Iterator?
        private var isFinished = false

        init(follow: @escaping @Sendable () -> ValuesFollower<Value>?) { self.follow = follow }

        /// Returns the next snapshot and its changes.
        ///
        /// The first call returns the current snapshot. Later calls wait for a save that changes the list or a value.
        ///
        /// - Returns: The update, or `nil` if the manager was closed or the task was canceled.
        /// - Throws: Any error that occurs while reading the list.
        public mutating func next() async throws -> ValuesUpdate<Value>? {
            while !isFinished {
                if signals == nil {
                    follower = follow()
                    signals = follower?.signals.makeAsyncIterator()
                } else if await signals?.next() == nil {
                    isFinished = true
                }
                guard let follower, !isFinished else { break }
                do {
                    if let update = try await follower.read() { return update }
                } catch {
                    isFinished = true
                    // The manager was closed during this read.
                    if !follower.isClosed { throw error }
                }
            }
            isFinished = true
            return nil
        }
    }

    /// Creates an iterator whose first element is the current snapshot.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(follow: follow) }
}

/// The list of one iterator, which collects the changes of saves until the iterator reads them.
final class ValuesFollower<Value: Sendable & Equatable>: Sendable, ViewList {
    let signals: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let pending = Mutex(PendingChanges())
    private let readList: @Sendable (RowChanges?) async throws -> ValuesUpdate<Value>?
    private let isAffected: @Sendable (RowChanges) -> Bool
    private let hub: ChangeHub
    private let entities: Int

    /// Creates a follower.
    ///
    /// - Parameters:
    ///   - hub: The hub of the manager.
    ///   - entities: The number of entities in the model.
    ///   - isAffected: Returns whether a save may have changed the list.
    ///   - read: Reads the list, given the changes since the last read.
    init(
        hub: ChangeHub,
        entities: Int,
        isAffected: @escaping @Sendable (RowChanges) -> Bool,
        read: @escaping @Sendable (RowChanges?) async throws -> ValuesUpdate<Value>?
    ) {
        self.hub = hub
        self.entities = entities
        self.isAffected = isAffected
        readList = read
        (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var isClosed: Bool { hub.isFinished }

    func read() async throws -> ValuesUpdate<Value>? {
        try await readList(pending.withLock { $0.take() })
    }

    func prepare(_ changes: MergedChanges, _ statements: StatementCache) {
        if isAffected(changes.changes) { pending.withLock { $0.add(changes.changes) } }
    }

    func fail(_ error: any Error) {
        // The view could not read a save. The list reads everything again.
        pending.withLock { $0.addAnything(entities: entities) }
    }

    func publish() { if !pending.withLock(\.isEmpty) { continuation.yield() } }
    func deliver() {}
    func finish() { continuation.finish() }
}

extension SQLiteStorageManager {
    /// Returns an asynchronous sequence of a sectioned list of values, starting with the current list.
    ///
    /// The values are made on a background thread each time the view has merged a save, and only from the objects that are new or may have
    /// changed. If `transform` reads related objects, a change of any object of their entities makes all values again. Each read uses one
    /// snapshot of the database, which may contain parts of later saves.
    ///
    /// - Parameters:
    ///   - request: The filter, the sort order and the limits.
    ///   - section: The path by whose values the list is divided, before the request's sort order. By default, the list has one section.
    ///   - transform: A closure that maps an object to a value. Changes to related objects that the closure reads are also observed.
    /// - Returns: An asynchronous sequence of snapshots and their changes.
    public func results<T: Object, Value: Sendable & Equatable>(
        _ request: ObjectRequest<T>,
        sectionBy section: SortDescriptor<T>?,
        _ transform: @escaping @Sendable (T) throws -> Value
    ) -> ValuesUpdates<Value> {
        // This is safe because nothing changes the request.
        nonisolated(unsafe) let request = request
        return ValuesUpdates { [weak self] in
            guard let self else { return nil }
            let list = ValuesList(request, sectionBy: section, transform)
            let follower = ValuesFollower<Value>(
                hub: hub,
                entities: model.entities.count,
                isAffected: { [model] in list.isAffected(by: $0, model) },
                read: { [weak self] changes in
                    guard let self else { return nil }
                    return try await update(list, changes)
                }
            )
            viewObjects.add(follower)
            return follower
        }
    }

    private func update<T: Object, Value>(
        _ list: ValuesList<T, Value>,
        _ changes: RowChanges?
    ) async throws -> ValuesUpdate<Value>? {
        let handler = InheritedIssueHandler()
        return try await withCheckedThrowingContinuation { continuation in
            valuesQueue.async {
                continuation.resume(
                    with: handler.during { Result { try self.readingValues { try list.read(changes, in: $0) } } }
                )
            }
        }
    }
}
#endif
