import LarderCore
import Synchronization

/// Reads that are under way, so that whoever wants the same meanwhile shares them.
final class SharedReads<Value: Sendable>: Sendable {
    private let underWay = Mutex<[StoreKey: Future<Value>]>([:])

    /// A future of the read under way for `query`, or of a new one.
    ///
    /// Each caller gets a future of its own: cancelling it leaves the others, cancelling the last one cancels the read. Queries
    /// that name no keys are not shared.
    func read(_ query: Any, _ begin: () -> Future<Value>) -> Future<Value> {
        guard let selection = (query as? any StorageQuery)?.selection else { return begin() }
        let key = selection.identity
        let (shared, resolver): (Future<Value>, FutureResolver<Value>?) = underWay.withLock { underWay in
            if let shared = underWay[key], !shared.isSettled { return (shared, nil) }
            let (future, resolver) = Future<Value>.pending()
            underWay[key] = future
            return (future, resolver)
        }
        // Made before the read begins, so that the read has a listener from its first moment.
        let own = shared.map { $0 }
        resolver?.set(begin().onCompletion { [weak self] in self?.end(key) })
        return own
    }

    private func end(_ key: StoreKey) { underWay.withLock { _ = $0.removeValue(forKey: key) } }
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
