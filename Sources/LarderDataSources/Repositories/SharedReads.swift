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
        let (own, started, former) = underWay.withLock { underWay -> (Pending, Pending?, Pending?) in
            // Joined under the lock: a read has a listener from its first moment, so none but its readers can cancel it.
            let former = underWay[key]
            if let former, let own = join(former, key) { return (own, nil, nil) }
            let shared = Pending()
            underWay[key] = shared
            return (join(shared, key) ?? shared, shared, former)
        }
        // Released outside the lock, as its value may be.
        withExtendedLifetime(former) {}
        if let started {
            begin().onCompletion { [weak self] in self?.end(started, key) }.feed(started) { $0 }
        }
        return Future(storage: .pending(own))
    }

    private typealias Pending = PendingFuture<Value>

    /// A future that settles as `shared` does; `nil` when `shared` has settled by now.
    private func join(_ shared: Pending, _ key: Key) -> Pending? {
        let own = Pending()
        let identifier = Deliveries.drained { shared.forward({ own.settle($0, &$1) }, &$0) }
        guard let identifier else { return nil }
        own.onCancel { [weak self] deliveries in
            shared.remove(identifier, &deliveries)
            if shared.outcome != nil { self?.end(shared, key) }
        }
        return own
    }

    private func end(_ shared: Pending, _ key: Key) {
        let ended = underWay.withLock { underWay in
            underWay[key] === shared ? underWay.removeValue(forKey: key) : nil
        }
        withExtendedLifetime(ended) {}
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
