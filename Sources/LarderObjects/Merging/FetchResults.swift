#if Objects
internal import Foundation
internal import GRDB
internal import LarderCore
internal import Synchronization

/// An asynchronous sequence that produces the results of a fetch each time the results change.
///
/// Each iterator starts with the current results. Saves during a slow iteration are coalesced into one element, and saves that don't change
/// the results are ignored. The sequence ends when the manager is closed or when reading throws an error.
public struct FetchResults<Value: Sendable & Equatable>: AsyncSequence, Sendable {
    /// The complete results of the fetch at one point in time.
    public typealias Element = [Value]
    /// The type of the errors that reading the database throws.
    public typealias Failure = any Error

    let read: @Sendable () async throws -> (values: [Value], region: Set<String>)
    let hub: ChangeHub

    /// An iterator over the successive results of a fetch.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let read: @Sendable () async throws -> (values: [Value], region: Set<String>)
        let hub: ChangeHub
        private var signals: AsyncStream<Void>.Iterator?
        private let region = RegionBox()
        private var last: [Value]?
        private var isFinished = false

        init(
            read: @escaping @Sendable () async throws -> (values: [Value], region: Set<String>),
            hub: ChangeHub
        ) {
            self.read = read
            self.hub = hub
        }

        /// Returns the next results.
        ///
        /// The first call returns the current results. Later calls wait for a save that changes the results.
        ///
        /// - Returns: The results, or `nil` if the manager was closed.
        /// - Throws: Any error that occurs while reading the results.
        public mutating func next() async throws -> [Value]? {
            while !isFinished {
                if signals == nil {
                    signals = hub.signals(where: region.concerns).makeAsyncIterator()
                } else if await signals?.next() == nil {
                    isFinished = true
                    return nil
                }
                do {
                    // The results of this read may or may not include a save that runs at the same time.
                    region.set(nil)
                    let result = try await read()
                    region.set(result.region)
                    if result.values != last {
                        last = result.values
                        return result.values
                    }
                } catch {
                    isFinished = true
                    // The manager was closed during this read.
                    if hub.isFinished { return nil }
                    throw error
                }
            }
            return nil
        }
    }

    /// Creates an iterator whose first element is the current results.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(read: read, hub: hub) }
}

/// The names of the entities that the latest results depend on, or `nil` for all entities before the first read.
private final class RegionBox: Sendable {
    private let region = Mutex<Set<String>?>(nil)

    func set(_ names: Set<String>?) { region.withLock { $0 = names } }

    @Sendable func concerns(_ changes: ChangeSet) -> Bool {
        guard !changes.isComplete, let region = region.withLock({ $0 }) else { return true }
        return changes.inserted.contains { region.contains($0.entityName) }
            || changes.updated.contains { region.contains($0.key.entityName) }
            || changes.deleted.contains { region.contains($0.entityName) }
            || changes.joined.contains { join in region.contains { join.hasPrefix($0 + ".") } }
    }
}

extension SQLiteStorageManager {
    /// Returns an asynchronous sequence of the results of a fetch, starting with the current results.
    ///
    /// The values are read on a background thread each time the view has merged a save. Each read uses one snapshot of the database.
    ///
    /// - Parameters:
    ///   - request: The filter, the sort order and the limits.
    ///   - transform: A closure that maps an object to a value. Changes to related objects that the closure reads are also observed.
    /// - Returns: An asynchronous sequence of results.
    public func results<T: Object, Value: Sendable & Equatable>(
        _ request: ObjectRequest<T>,
        _ transform: @escaping @Sendable (T) throws -> Value
    ) -> FetchResults<Value> {
        // This is safe because nothing changes the request and only this call uses it.
        nonisolated(unsafe) let request = request
        return FetchResults(
            read: { [weak self] in
                guard let self else { return ([], []) }
                let handler = InheritedIssueHandler()
                return try await withCheckedThrowingContinuation { continuation in
                    self.valuesQueue.async {
                        continuation.resume(
                            with: handler.during { Result { try self.watchedValues(request, transform) } }
                        )
                    }
                }
            },
            hub: hub
        )
    }
}
#endif
