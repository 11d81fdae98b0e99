import Synchronization

/// The memory of indexes: it is readable until this object goes, even when no index uses it any more.
///
/// Readers without a lock may still be looking at memory that an index has just given back. They find out before they believe
/// what they saw, but the memory must be there. So it is kept for the next index, and freed with the engine.
final class IndexMemory: Sendable {
    private struct State {
        var spare: [Int: [IndexWords]] = [:]
        var all: Set<IndexWords> = []
    }

    private static let cacheLine = 64
    private let state = Mutex(State())

    init() {}

    deinit {
        state.withLock { state in
            for words in state.all { words.address.deallocate() }
        }
    }

    /// `count` words, all zero.
    func take(_ count: Int) -> IndexWords {
        let spare = state.withLock { $0.spare[count]?.popLast() }
        if let spare {
            for index in 0..<count { spare[index] = 0 }
            return spare
        }
        let address = UnsafeMutableRawPointer.allocate(byteCount: count * 8, alignment: Self.cacheLine)
        address.initializeMemory(as: UInt64.self, repeating: 0, count: count)
        let words = IndexWords(address)
        state.withLock { _ = $0.all.insert(words) }
        return words
    }

    /// Takes back what no index uses any more.
    func giveBack(_ words: IndexWords, count: Int) {
        state.withLock { $0.spare[count, default: []].append(words) }
    }

    /// Frees what no reader without a lock has ever seen.
    func free(_ words: IndexWords) {
        state.withLock { _ = $0.all.remove(words) }
        words.address.deallocate()
    }
}
