import LarderCore
import Synchronization

/// Unread changes of one reader.
///
/// What it drops and whom it resumes it hands to its caller: a value's `deinit` and a task's executor are a caller's code, and run
/// once the caller has released its locks.
final class ChangeBuffer<T: Sendable>: Sendable {
    fileprivate typealias Continuation = CheckedContinuation<DataSourceChange<T>?, Never>

    private struct State {
        var unread = Queue<DataSourceChange<T>>()
        var missed = 0
        var isFinished = false
        var waiting: Continuation?
    }

    /// What is left to do outside every lock.
    struct Followup {
        /// Held until then: the reader may be releasing it.
        private let buffer: ChangeBuffer
        private let waiting: Continuation?
        private let change: DataSourceChange<T>
        private let dropped: Queue<DataSourceChange<T>>

        fileprivate init(
            _ buffer: ChangeBuffer,
            _ waiting: Continuation?,
            _ change: DataSourceChange<T>,
            dropped: Queue<DataSourceChange<T>>
        ) {
            self.buffer = buffer
            self.waiting = waiting
            self.change = change
            self.dropped = dropped
        }

        /// Resumes the reader, if it waited.
        func carryOut() { waiting?.resume(returning: change) }
    }

    private static var limit: Int { 1_024 }
    private let state = Mutex(State())

    /// Adds a change; the reader has it once the followup is carried out.
    func append(_ change: DataSourceChange<T>) -> Followup {
        state.withLock { state in
            var dropped = Queue<DataSourceChange<T>>()
            if state.isFinished { return Followup(self, nil, change, dropped: dropped) }
            if let waiting = state.waiting {
                state.waiting = nil
                return Followup(self, waiting, change, dropped: dropped)
            }
            if case .missed(let count) = change {
                state.missed += count + state.unread.count
                swap(&dropped, &state.unread)
            } else {
                state.unread.append(change)
                if state.unread.count > Self.limit, let oldest = state.unread.popFirst() {
                    dropped.append(oldest)
                    state.missed += 1
                }
            }
            return Followup(self, nil, change, dropped: dropped)
        }
    }

    func next() async -> DataSourceChange<T>? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (ready, former): (DataSourceChange<T>??, Continuation?) = state.withLock { state in
                    if state.missed > 0 {
                        defer { state.missed = 0 }
                        return (.some(.missed(state.missed)), nil)
                    }
                    if let change = state.unread.popFirst() { return (.some(change), nil) }
                    if state.isFinished { return (.some(nil), nil) }
                    defer { state.waiting = continuation }
                    return (nil, state.waiting)
                }
                // A second reader would be a mistake; the first one ends rather than waits for ever.
                former?.resume(returning: nil)
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

    /// Adds a reader and forgets those that are gone.
    ///
    /// - Returns: The other readers' buffers, to be released outside the lock that guards this.
    mutating func add(_ buffer: ChangeBuffer<T>, for selection: StorageSelection) -> [ChangeBuffer<T>] {
        let buffers = readers.map(\.buffer)
        readers = zip(readers, buffers).filter { $0.1 != nil }.map(\.0)
        readers.append(Reader(selection: selection, buffer: buffer))
        return buffers.compactMap(\.self)
    }

    /// Tells those who read the key.
    ///
    /// - Returns: What is left to do outside the lock that guards this.
    func tell(_ change: DataSourceChange<T>) -> [ChangeBuffer<T>.Followup] {
        guard let key = change.key else { return [] }
        return readers.compactMap { reader in
            reader.selection.contains(key) ? reader.buffer?.append(change) : nil
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
