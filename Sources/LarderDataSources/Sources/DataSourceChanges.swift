import LarderCore
import Synchronization

/// What changed under one key of a source.
public enum DataSourceChange<T: Sendable>: Sendable {
    /// The key holds another single value.
    case value(T, key: String)
    /// The key holds another list.
    case list([T], key: String)
    /// The key holds nothing any more, or something that is no `T`.
    case gone(key: String)
    /// So many changes were not kept because the reader fell behind: read again what matters. Never a silent gap.
    case missed(Int)
}

extension DataSourceChange: Equatable where T: Equatable {}

/// The changes of a source as an asynchronous sequence for one reader; see ``ObservableDataSource/changes(for:)``.
///
/// It begins with the first change after it was made and keeps up to 1,024 unread ones. Iterate it once.
public struct DataSourceChanges<T: Sendable>: AsyncSequence, Sendable {
    /// One change after another.
    public typealias Element = DataSourceChange<T>

    let buffer: ChangeBuffer<T>
    /// Kept so that the subscription lives as long as its reader.
    let subscription: any Sendable

    /// Reads the changes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let changes: DataSourceChanges<T>

        /// The next change, or `nil` when the task was cancelled.
        ///
        /// - Returns: The next change.
        public mutating func next() async -> DataSourceChange<T>? { await changes.buffer.next() }
    }

    /// The one iterator of this sequence.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(changes: self) }
}

/// Unread changes of one reader.
final class ChangeBuffer<T: Sendable>: Sendable {
    private struct State {
        var unread: [DataSourceChange<T>] = []
        var missed = 0
        var isFinished = false
        var waiting: CheckedContinuation<DataSourceChange<T>?, Never>?
    }

    private static var limit: Int { 1_024 }
    private let state = Mutex(State())

    func append(_ change: DataSourceChange<T>) {
        let waiting = state.withLock { state -> CheckedContinuation<DataSourceChange<T>?, Never>? in
            guard !state.isFinished else { return nil }
            if let waiting = state.waiting {
                state.waiting = nil
                return waiting
            }
            if case .missed(let count) = change {
                state.missed += count + state.unread.count
                state.unread = []
            } else {
                state.unread.append(change)
                if state.unread.count > Self.limit {
                    state.unread.removeFirst()
                    state.missed += 1
                }
            }
            return nil
        }
        waiting?.resume(returning: change)
    }

    func next() async -> DataSourceChange<T>? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready: DataSourceChange<T>?? = state.withLock { state in
                    if state.missed > 0 {
                        defer { state.missed = 0 }
                        return .some(.missed(state.missed))
                    }
                    if !state.unread.isEmpty { return .some(state.unread.removeFirst()) }
                    if state.isFinished { return .some(nil) }
                    // A second reader would be a mistake; the first one is let go rather than left waiting for ever.
                    state.waiting?.resume(returning: nil)
                    state.waiting = continuation
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            finish()
        }
    }

    func finish() {
        let waiting = state.withLock { state in
            state.isFinished = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: nil)
    }
}

extension StorageSelection {
    /// Whether a key is among those meant.
    func contains(_ key: String) -> Bool {
        switch self {
        case .key(let only): StoreKey(only) == StoreKey(key)
        case .keys(let keys): keys.contains { StoreKey($0) == StoreKey(key) }
        case .all: true
        }
    }
}
