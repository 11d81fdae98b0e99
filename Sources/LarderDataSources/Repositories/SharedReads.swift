import LarderCore
import Synchronization

/// Reads that are under way, so that whoever wants the same meanwhile shares them.
final class SharedReads<Value: Sendable>: Sendable {
    /// Reads of one selection, with no write between them.
    private struct Key: Hashable {
        let selection: StoreKey
        let stamp: WriteVersions.Stamp
    }

    private let underWay = Mutex<[Key: PendingFuture<Value>]>([:])

    /// How many reads are under way.
    var count: Int { underWay.withLock(\.count) }

    /// A future of the read under way for `selection`, or of a new one.
    ///
    /// Each caller gets a future of its own: cancelling it leaves the others, cancelling the last one cancels the read. Queries
    /// that name no keys are not shared, nor is a read that began before a write with one that began after it.
    func read(
        _ selection: StorageSelection?,
        since stamp: WriteVersions.Stamp,
        _ begin: () -> Future<Value>
    ) -> Future<Value> {
        guard let selection else { return begin() }
        let key = Key(selection: selection.identity, stamp: stamp)
        let (own, started) = underWay.withLock { underWay -> (PendingFuture<Value>, PendingFuture<Value>?) in
            // Joined under the lock: a read has a listener from its first moment, so none but its readers can cancel it.
            if let shared = underWay[key], let own = join(shared, key) { return (own, nil) }
            let shared = PendingFuture<Value>()
            underWay[key] = shared
            return (join(shared, key) ?? shared, shared)
        }
        if let started {
            begin().onCompletion { [weak self] in self?.end(started, key) }.feed(started) { $0 }
        }
        return Future(storage: .pending(own))
    }

    /// A future that settles as `shared` does; `nil` when `shared` has settled by now.
    private func join(_ shared: PendingFuture<Value>, _ key: Key) -> PendingFuture<Value>? {
        let own = PendingFuture<Value>()
        guard let identifier = shared.listen({ own.settle($0) }) else { return nil }
        own.onCancel { [weak self] in
            shared.remove(identifier)
            if shared.outcome != nil { self?.end(shared, key) }
        }
        return own
    }

    private func end(_ shared: PendingFuture<Value>, _ key: Key) {
        underWay.withLock { underWay in
            if underWay[key] === shared { underWay[key] = nil }
        }
    }
}

extension StorageSelection {
    /// A text that two selections share only when they are the same, byte by byte.
    fileprivate var identity: StoreKey {
        switch self {
        case .key(let key): StoreKey(key, prefix: "k")
        case .keys(let keys): StoreKey(keys.map { "\($0.utf8.count):\($0)" }.joined(), prefix: "s")
        case .all: StoreKey("a")
        }
    }
}
