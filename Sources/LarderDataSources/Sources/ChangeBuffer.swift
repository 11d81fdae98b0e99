import LarderCore
import Synchronization

/// Unread changes of one reader.
final class ChangeBuffer<T: Sendable>: Sendable {
    private struct State {
        var unread = Queue<DataSourceChange<T>>()
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
                state.unread.removeAll()
            } else {
                state.unread.append(change)
                if state.unread.count > Self.limit {
                    _ = state.unread.popFirst()
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
                    if let change = state.unread.popFirst() { return .some(change) }
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

/// Who reads the changes of a source that tells of them itself.
struct ChangeReaders<T: Sendable>: Sendable {
    private struct Reader: Sendable {
        let selection: StorageSelection
        weak var buffer: ChangeBuffer<T>?
    }

    private var readers: [Reader] = []

    /// A sequence for one more reader.
    mutating func add(_ query: any StorageQuery) -> DataSourceChanges<T> {
        let buffer = ChangeBuffer<T>()
        readers.removeAll { $0.buffer == nil }
        readers.append(Reader(selection: query.selection, buffer: buffer))
        return DataSourceChanges(buffer: buffer, subscription: buffer)
    }

    /// Tells those who read the key.
    func tell(_ change: DataSourceChange<T>) {
        for reader in readers {
            guard let key = change.key, reader.selection.contains(key) else { continue }
            reader.buffer?.append(change)
        }
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
