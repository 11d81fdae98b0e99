import LarderCore
import Synchronization

/// A registry through which concurrent readers of the same keys share one read of a source.
final class SharedReads<Value: Sendable>: Sendable {
    /// The identity of a read that can be shared.
    ///
    /// The identity includes the number of writes to the keys, so a read that starts after a write does not join an earlier read.
    private struct Key: Hashable {
        let selection: StoreKey
        let stamp: WriteVersions.Stamp
    }

    private let underWay = Mutex<[Key: PendingFuture<Value>]>([:])

    /// The number of shared reads that are in progress.
    var count: Int { underWay.withLock(\.count) }

    /// Joins the read of `selection` that is in progress, or starts a new one.
    ///
    /// Each caller receives its own future. Cancelling one future does not affect the others. Cancelling all futures cancels the read. A
    /// read is not shared if its keys are unknown, or if a write began after the read in progress.
    func read(
        _ selection: StoreSelection?,
        since stamp: WriteVersions.Stamp,
        _ begin: () -> Future<Value>
    ) -> Future<Value> {
        guard let selection else { return begin() }
        let key = Key(selection: selection.identity, stamp: stamp)
        let (own, started, former) = underWay.withLock { underWay -> (Pending, Pending?, Pending?) in
            // The caller joins the read under the lock, so the read always has a listener and only its readers can cancel it.
            let former = underWay[key]
            if let former, let own = join(former, key) { return (own, nil, nil) }
            let shared = Pending()
            underWay[key] = shared
            return (join(shared, key) ?? shared, shared, former)
        }
        // Released outside the lock, because releasing the value may run a caller's code.
        withExtendedLifetime(former) {}
        if let started {
            begin().onCompletion { [weak self] in self?.end(started, key) }.feed(started) { $0 }
        }
        return Future(storage: .pending(own))
    }

    private typealias Pending = PendingFuture<Value>

    /// Returns a future that settles with the outcome of `shared`, or `nil` if `shared` has settled.
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

extension StoreSelection {
    /// A unique identifier of this selection.
    ///
    /// Two selections have the same identifier only if their keys are equal bytewise.
    fileprivate var identity: StoreKey {
        switch self {
        case .key(let key): StoreKey(key, prefix: "k")
        case .keys(let keys): StoreKey(keys.map { "\($0.utf8.count):\($0)" }.joined(), prefix: "s")
        case .all: StoreKey("a")
        }
    }
}
