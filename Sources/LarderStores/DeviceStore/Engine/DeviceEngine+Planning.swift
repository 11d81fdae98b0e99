import LarderCore
import LarderFiles
import Synchronization

/// Which writes of a batch change something, in the order of the frame.
struct CommitPlan {
    struct Item {
        /// Its index in the batch.
        var write: Int
        /// The number of the entry that it replaces or removes, or -1.
        var number: Int
        var hash: UInt64
        /// Where in the frame the entry begins, and where its key lies.
        var offset: Int
        var key: Range<Int>
        /// Encoded bytes of the value.
        var size: Int
        /// CRC-32C of the encoded value, for one that is left in the file.
        var checksum: UInt32

        var isNew: Bool { number < 0 }
    }

    var items: [Item] = []
    /// For observers: keys with old and new value.
    var changes: [StoreChange.Entry] = []
    /// Kept from one commit to the next.
    var hashes: [UInt64] = []
    var table: [Int32] = []

    private static let largestKeptCapacity = 1 << 14

    /// Drops what was there, and memory that a very large commit needed.
    mutating func begin() {
        let keeps = items.capacity <= Self.largestKeptCapacity
        items.removeAll(keepingCapacity: keeps)
        hashes.removeAll(keepingCapacity: keeps)
        table.removeAll(keepingCapacity: keeps)
        changes.removeAll()
    }

    /// Whether no key is new.
    var replacesOnly: Bool { items.allSatisfy { !$0.isNew } }
}

// What is checked and encoded before anything is changed; for whoever holds both locks.
extension DeviceEngine {
    // MARK: What must hold

    func fulfils(_ batch: StoreBatch) throws -> Bool {
        for expectation in batch.expectations {
            switch expectation {
            case .value(let value, let key):
                let stored: StoredValue? = try key.withBytes { try current($0, hash($0)).value }
                if stored != value { return false }
            case .entries(let entries, let prefix):
                if try entriesUnderLock(prefix: prefix) != entries { return false }
            }
        }
        return true
    }

    /// What is stored under a key: `number` is that of its entry, even when it has expired.
    private func current(
        _ key: UnsafeRawBufferPointer,
        _ hash: UInt64
    ) throws -> (value: StoredValue?, expiry: Int64?, number: Int?) {
        let (found, number) = memory.withLock { memory -> (Lookup, Int?) in
            (memory.find(key, hash, at: memory.word.rawValue), memory.index.find(key, hashed: hash))
        }
        return switch found {
        case .found(let value): (value, nil, number)
        case .inFile(let value): (try load(value), nil, number)
        case .expiring(let value, let expiry): (isExpired(expiry) ? .none : .some(value), expiry, number)
        case .expiringInFile(let value, let expiry): (try isExpired(expiry) ? .none : load(value), expiry, number)
        case .absent, .behind: (nil, nil, nil)
        }
    }

    // MARK: What is written

    /// Encodes those writes of `batch` that change something into the writer's frame.
    func plan(_ batch: StoreBatch, until expiry: Int64?, _ writer: inout Writer) throws {
        let count = batch.writes.count
        for write in batch.writes {
            writer.plan.hashes.append(
                write.key.rememberedHash != 0 ? write.key.rememberedHash : write.key.withBytes { hash($0) }
            )
        }
        let chosen = lastWrites(of: batch, &writer.plan)
        let isObserved = isObserved
        var next = 0
        let end = chosen?.count ?? count
        while next < end {
            if !isObserved { next = try planPlainWrites(batch, chosen, from: next, to: end, expiry, &writer) }
            if next < end {
                try planAnyWrite(batch, chosen.map { Int($0[next]) } ?? next, expiry, isObserved, &writer)
                next += 1
            }
        }
    }

    /// Of two writes to one key the later one counts, in the place of the first; `nil` when no key comes twice.
    private func lastWrites(of batch: StoreBatch, _ plan: inout CommitPlan) -> [Int32]? {
        let writes = batch.writes
        guard writes.count > 1 else { return nil }
        var size = 16
        while size < writes.count * 2 { size *= 2 }
        plan.table.append(contentsOf: repeatElement(-1, count: size))
        let mask = size - 1
        var hasTwice = false
        for index in writes.indices {
            var place = Int(truncatingIfNeeded: plan.hashes[index]) & mask
            while plan.table[place] >= 0 {
                let other = Int(plan.table[place])
                if plan.hashes[other] == plan.hashes[index], writes[other].key == writes[index].key {
                    hasTwice = true
                    break
                }
                place = (place + 1) & mask
            }
            if hasTwice { break }
            plan.table[place] = Int32(truncatingIfNeeded: index)
        }
        guard hasTwice else { return nil }
        var last: [StoreKey: Int] = [:]
        var order: [Int32] = []
        for (index, write) in writes.enumerated() {
            if let place = last[write.key] {
                order[place] = Int32(truncatingIfNeeded: index)
            } else {
                last[write.key] = order.count
                order.append(Int32(truncatingIfNeeded: index))
            }
        }
        return order
    }

    /// How many writes are planned before readers get a chance.
    private static var writesAtOnce: Int { 64 }

    /// Plans writes from `next` on as long as their values are kept in memory, and returns the first that is not.
    private func planPlainWrites(
        _ batch: StoreBatch,
        _ chosen: [Int32]?,
        from next: Int,
        to end: Int,
        _ expiry: Int64?,
        _ writer: inout Writer
    ) throws -> Int {
        var next = next
        var isPlain = true
        while next < end, isPlain {
            try memory.withLock { memory in
                let stop = min(end, next + Self.writesAtOnce)
                while next < stop {
                    let index = chosen.map { Int($0[next]) } ?? next
                    let write = batch.writes[index]
                    let size = write.value.map(LogValue.size) ?? 0
                    isPlain = size <= LogFormat.largestValueInMemory
                    guard isPlain else { return }
                    try write.key.withBytes { key in
                        try planPlainWrite(write.value, index, key, size, expiry, memory, &writer)
                    }
                    next += 1
                }
            }
        }
        return next
    }

    @inline(__always)
    private func planPlainWrite(
        _ value: StoredValue?,
        _ index: Int,
        _ key: UnsafeRawBufferPointer,
        _ size: Int,
        _ expiry: Int64?,
        _ memory: borrowing Memory,
        _ writer: inout Writer
    ) throws {
        let hash = writer.plan.hashes[index]
        let number: Int
        switch memory.standing(of: key, hash, beside: value, expiry ?? .max, isExpired) {
        case .unchanged: return
        case .absent: number = -1
        case .present(let found): number = found
        }
        let offset = writer.builder.length
        let end: Int
        if let value {
            end = try writer.builder.set(key, value, size: size, until: expiry).lowerBound
        } else {
            writer.builder.remove(key)
            end = writer.builder.length
        }
        writer.plan.items.append(
            CommitPlan.Item(
                write: index,
                number: number,
                hash: hash,
                offset: offset,
                key: end - key.count..<end,
                size: size,
                checksum: 0
            )
        )
    }

    /// Plans one write whose value may stay in the file, or whose old value somebody wants to know.
    private func planAnyWrite(
        _ batch: StoreBatch,
        _ index: Int,
        _ expiry: Int64?,
        _ isObserved: Bool,
        _ writer: inout Writer
    ) throws {
        let write = batch.writes[index]
        let hash = writer.plan.hashes[index]
        try write.key.withBytes { key in
            let old = try current(key, hash)
            var item = CommitPlan.Item(
                write: index,
                number: old.number ?? -1,
                hash: hash,
                offset: writer.builder.length,
                key: 0..<0,
                size: 0,
                checksum: 0
            )
            if let value = write.value {
                if old.value == value, old.expiry == expiry { return }
                item.size = LogValue.size(of: value)
                let encoded = try writer.builder.set(key, value, size: item.size, until: expiry)
                if item.size > LogFormat.largestValueInMemory {
                    item.checksum = CRC32C.of(writer.builder.bytes.slice(encoded))
                }
                item.key = encoded.lowerBound - key.count..<encoded.lowerBound
            } else {
                guard old.number != nil else { return }
                writer.builder.remove(key)
                item.key = writer.builder.length - key.count..<writer.builder.length
            }
            writer.plan.items.append(item)
            if isObserved, old.value != write.value, !StoreKey.isReserved(key) {
                writer.plan.changes.append(
                    StoreChange.Entry(key: write.key.text, old: old.value, new: write.value)
                )
            }
        }
    }
}
