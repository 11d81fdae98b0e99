import LarderCore
import Synchronization

/// A buffer of unread changes for a single reader.
///
/// ``append(_:)`` returns a ``Followup`` for the caller to carry out after releasing its locks. The followup can run code that Larder does
/// not control, such as a value's `deinit` or a task's executor.
final class ChangeBuffer<T: Sendable>: Sendable {
    fileprivate typealias Continuation = CheckedContinuation<DataSourceChange<T>?, Never>

    private struct State {
        var unread = Queue<DataSourceChange<T>>()
        var missed = 0
        var isFinished = false
        var waiting: Continuation?
    }

    /// The work that remains after a change is added, to be carried out by the caller without holding a lock.
    struct Followup {
        /// The buffer, retained so that it is not deallocated while the caller holds a lock.
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

        /// Resumes the reader with the change if the reader is waiting.
        func carryOut() { waiting?.resume(returning: change) }
    }

    private static var limit: Int { 1_024 }
    private let state = Mutex(State())

    /// Adds a change to the buffer.
    ///
    /// A waiting reader receives the change when the followup is carried out.
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
                // A second reader is a usage error. The first reader's sequence ends instead of waiting forever.
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

/// The readers that observe a data source.
struct ChangeReaders<T: Sendable>: Sendable {
    private struct Reader: Sendable {
        let selection: StoreSelection
        weak var buffer: ChangeBuffer<T>?
    }

    private var readers: [Reader] = []

    /// Adds a reader and removes the readers whose buffers were released.
    ///
    /// - Returns: The buffers of the other readers, for the caller to release outside its lock.
    mutating func add(_ buffer: ChangeBuffer<T>, for selection: StoreSelection) -> [ChangeBuffer<T>] {
        let buffers = readers.map(\.buffer)
        readers = zip(readers, buffers).filter { $0.1 != nil }.map(\.0)
        readers.append(Reader(selection: selection, buffer: buffer))
        return buffers.compactMap(\.self)
    }

    /// Adds a change to the buffers of the readers that observe its key.
    ///
    /// - Returns: The followups, for the caller to carry out outside its lock.
    func notify(_ change: DataSourceChange<T>) -> [ChangeBuffer<T>.Followup] {
        guard let key = change.key else { return [] }
        return readers.compactMap { reader in
            reader.selection.contains(key) ? reader.buffer?.append(change) : nil
        }
    }
}

extension StoreSelection {
    /// Returns whether the selection contains a key.
    func contains(_ key: String) -> Bool {
        switch self {
        case .key(let only): StoreKey(only) == StoreKey(key)
        case .keys(let keys): keys.contains { StoreKey($0) == StoreKey(key) }
        case .all: true
        }
    }
}
