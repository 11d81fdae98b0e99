import LarderCore
import LarderFiles
import Synchronization

extension DeviceEngine {
    /// A listed entry whose value may still have to be read.
    private struct Listed: Sendable {
        var key: String
        var value: StoredValue
        var inFile: DeviceLog.Value?
    }

    /// The entries at one moment, sorted; see ``KeyValueStore/entries(prefix:)``.
    func entries(prefix: String) throws -> [StoreEntry] {
        try load(withCurrentMemory { list($0, prefix: prefix) })
    }

    /// The same for whoever holds the writer's lock and has followed the others.
    func entriesUnderLock(prefix: String) throws -> [StoreEntry] {
        try load(memory.withLock { list($0, prefix: prefix) })
    }

    private func list(_ memory: borrowing Memory, prefix: String) -> [Listed] {
        var listed: [Listed] = []
        forEachKey(in: memory, prefix: prefix) { number, key in
            let entry = memory.index.entry(number)
            let inFile = entry.isInFile ? memory.valueInFile(number) : nil
            listed.append(Listed(key: key, value: entry.value, inFile: inFile))
        }
        return listed
    }

    /// Values in the file are read without any lock: the log of that moment stays open, and what it holds never changes.
    private func load(_ listed: [Listed]) throws -> [StoreEntry] {
        try listed.map { StoreEntry(key: $0.key, value: try $0.inFile.map(load) ?? $0.value) }
            .sorted { $0.key.precedesByBytes($1.key) }
    }

    /// The keys, sorted, without reading any value.
    func keys(prefix: String) throws -> [String] {
        let keys = try withCurrentMemory { memory in
            var keys: [String] = []
            forEachKey(in: memory, prefix: prefix) { _, key in keys.append(key) }
            return keys
        }
        return keys.sorted { $0.precedesByBytes($1) }
    }

    /// How many keys begin with `prefix`.
    func count(prefix: String) throws -> Int {
        try withCurrentMemory { memory in
            var count = 0
            forEachKey(in: memory, prefix: prefix) { _, _ in count += 1 }
            return count
        }
    }

    /// Whether there are records of Larder's own, which no listing shows.
    func holdsReservedRecords() throws -> Bool {
        try withCurrentMemory { memory in
            var isFound = false
            memory.index.forEachIndex { number in
                if memory.index.withKey(number, StoreKey.isReserved) { isFound = true }
            }
            return isFound
        }
    }

    private func forEachKey(in memory: borrowing Memory, prefix: String, _ body: (Int, String) -> Void) {
        let now = memory.index.expiries.count > 0 ? now : .min
        var prefix = prefix
        prefix.withUTF8 { prefix in
            memory.index.forEachIndex { number in
                memory.index.withKey(number) { key in
                    guard key.starts(with: prefix), !StoreKey.isReserved(key), memory.index.expiry(number) > now
                    else { return }
                    body(number, String(decoding: key, as: UTF8.self))
                }
            }
        }
    }
}

extension StoreKey {
    private static let reservedBytes = Array(reservedPrefix.utf8)

    /// Whether a key of those bytes begins with what is reserved for Larder.
    static func isReserved(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.first == 0 && bytes.starts(with: reservedBytes)
    }
}
