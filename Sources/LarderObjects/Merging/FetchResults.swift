#if Objects
internal import Foundation
internal import GRDB
internal import LarderCore
internal import Synchronization

/// What one fetch gives, now and after every save that changes it.
///
/// Each iterator begins with what is there. Saves that come while nobody waits are taken together; a save after which the
/// values are what they were gives nothing. It ends when the manager is closed, and when it throws.
public struct FetchResults<Value: Sendable & Equatable>: AsyncSequence, Sendable {
    /// All values of the fetch.
    public typealias Element = [Value]
    /// What is thrown when the database can't be read.
    public typealias Failure = any Error

    let read: @Sendable () async throws -> (values: [Value], region: Set<String>)
    let hub: ChangeHub

    /// One reader.
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

        /// The values after the next save that changes them; at first, those that are there.
        ///
        /// - Returns: The values, or `nil` when the manager was closed.
        /// - Throws: Why they could not be read.
        public mutating func next() async throws -> [Value]? {
            while !isFinished {
                if signals == nil {
                    signals = hub.signals(where: region.concerns).makeAsyncIterator()
                } else if await signals?.next() == nil {
                    isFinished = true
                    return nil
                }
                do {
                    // A save that comes while this reads may or may not be in it.
                    region.set(nil)
                    let result = try await read()
                    region.set(result.region)
                    if result.values != last {
                        last = result.values
                        return result.values
                    }
                } catch {
                    isFinished = true
                    // The manager was closed while this read.
                    if hub.isFinished { return nil }
                    throw error
                }
            }
            return nil
        }
    }

    /// A reader that begins with what is there.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(read: read, hub: hub) }
}

/// The entities that the last values depend on; all of them while that is not known.
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
    /// What one fetch gives, now and after every save that changes it.
    ///
    /// Values are read away from the main thread, each time all of them from one state of the database, after the view has
    /// merged the save.
    ///
    /// - Parameters:
    ///   - request: Which objects, in what order.
    ///   - transform: Makes a value of an object, also from its relationships: what they lead to is watched too.
    /// - Returns: The sequence.
    public func results<T: Object, Value: Sendable & Equatable>(
        _ request: ObjectRequest<T>,
        _ transform: @escaping @Sendable (T) throws -> Value
    ) -> FetchResults<Value> {
        // Sendable: a request is only read, and nothing else holds this one.
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
