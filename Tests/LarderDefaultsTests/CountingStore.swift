import LarderCore
import LarderTestSupport
import Synchronization

/// A store that counts the bytes of all values that synchronous commits write, including Larder's internal values.
final class CountingStore: ForwardingStore {
    let base: any KeyValueStore
    private let count = Mutex(0)

    init(_ base: any KeyValueStore) { self.base = base }

    /// The encoded size in bytes of all values that have been written so far.
    var bytes: Int { count.withLock(\.self) }

    @available(*, noasync)
    func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool {
        try counting(batch) { try base.commit(batch, durability: durability) }
    }
    func commit(_ batch: StoreBatch) throws -> Bool { try counting(batch) { try base.commit(batch) } }

    private func counting(_ batch: StoreBatch, _ commit: () throws -> Bool) throws -> Bool {
        let size = try batch.writes.reduce(0) { try $0 + ($1.value?.encoded().count ?? 0) }
        guard try commit() else { return false }
        count.withLock { $0 += size }
        return true
    }
}
