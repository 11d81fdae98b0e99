import LarderCore
import LarderFiles

/// The set of names that were written through a key store, in a store that replicates.
///
/// Stores don't list reserved keys, so the names are the leaves of a tree whose nodes are looked up one by one. The path to a name follows
/// from the hash of the name, and every machine writes the same value at each node, without expectations. So the commits of several machines
/// never conflict, and each name is recorded once for all of them.
struct WrittenNameTree {
    /// The number of elements of a path, each of which has 6 bits.
    ///
    /// Two machines may write names with equal paths at the same time, and one name would replace the other. 48 bits rule it out in practice.
    private static let depth = 8
    private static let branches = UInt8(64)
    private let keyStore: String

    init(_ keyStore: String) { self.keyStore = keyStore.shortName }

    /// Records a name, unless it is recorded.
    func insert(_ name: String, in store: any KeyValueStore) throws {
        let path = SHA256.of(name.utf8).prefix(Self.depth).map { $0 % Self.branches }
        var number = 0
        // Names with equal paths have different numbers.
        while let other = try store.get(leaf(path, number)) {
            if other == .string(name) { return }
            number += 1
        }
        var batch = StoreBatch()
        for length in 1..<Self.depth {
            // Nodes are never removed.
            let node = node(path.prefix(length))
            if try store.get(node) == nil { batch.set(true, for: node) }
        }
        batch.set(.string(name), for: leaf(path, number))
        _ = try store.commit(batch)
    }

    /// Returns the recorded names in no particular order.
    func names(in store: any KeyValueStore) throws -> [String] {
        var names: [String] = []
        try collect([], in: store, &names)
        return names
    }

    private func collect(_ path: [UInt8], in store: any KeyValueStore, _ names: inout [String]) throws {
        for branch in 0..<Self.branches {
            let path = path + [branch]
            if path.count < Self.depth {
                if try store.get(node(path[...])) != nil { try collect(path, in: store, &names) }
                continue
            }
            var number = 0
            while case .string(let name)? = try store.get(leaf(path, number)) {
                names.append(name)
                number += 1
            }
        }
    }

    private func node(_ path: ArraySlice<UInt8>) -> StoreKey {
        StoreKey(reserved: ".defaults.written.node:\(Self.text(path)):\(keyStore)")
    }

    private func leaf(_ path: [UInt8], _ number: Int) -> StoreKey {
        StoreKey(reserved: ".defaults.written.leaf:\(Self.text(path[...])):\(number):\(keyStore)")
    }

    private static func text(_ path: ArraySlice<UInt8>) -> String { path.map { String($0) }.joined(separator: ".") }
}
