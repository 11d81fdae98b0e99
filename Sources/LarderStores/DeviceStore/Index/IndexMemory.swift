import LarderFiles
import Synchronization

/// The memory of indexes: it is readable until this object goes, even when no index uses it any more.
///
/// Readers without a lock may still be looking at memory that an index has just given back. They find out before they believe
/// what they saw, but the memory must be there. So it is kept for the next index, and freed with the engine.
final class IndexMemory: Sendable {
    private struct State {
        var spare: [Int: [IndexWords]] = [:]
        var all: Set<IndexWords> = []
        /// Bytes handed out as chunks, and what is left of the piece of memory that they are now cut from.
        var inChunks = 0
        var rest: UnsafeMutableRawBufferPointer?
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
        let words = IndexWords(Self.allocate(count * 8))
        state.withLock { _ = $0.all.insert(words) }
        return words
    }

    /// ``take(_:)`` for what is given back whole but never freed alone: of a large index it is cut from larger pieces.
    func takeChunk(_ count: Int) -> IndexWords {
        let size = count * 8
        let cut: IndexWords? = state.withLock { state in
            guard state.spare[count]?.isEmpty != false else { return nil }
            state.inChunks += size
            // So much that a piece which is hardly used counts for little.
            guard state.inChunks > 8 * MemoryPage.largeSize, MemoryPage.largeSize % size == 0 else { return nil }
            if state.rest?.isEmpty != false {
                let piece = Self.allocate(MemoryPage.largeSize)
                state.all.insert(IndexWords(piece))
                state.rest = UnsafeMutableRawBufferPointer(start: piece, count: MemoryPage.largeSize)
            }
            guard let rest = state.rest, let start = rest.baseAddress else { return nil }
            state.rest = UnsafeMutableRawBufferPointer(rebasing: rest[size...])
            return IndexWords(start)
        }
        return cut ?? take(count)
    }

    /// Bytes that are zero.
    private static func allocate(_ size: Int) -> UnsafeMutableRawPointer {
        // Aligned to a large page only where what that may cost is little beside it; pieces often lie side by side anyway.
        let address = UnsafeMutableRawPointer.allocate(
            byteCount: size,
            alignment: size >= 4 * MemoryPage.largeSize ? MemoryPage.largeSize : cacheLine
        )
        let bytes = UnsafeMutableRawBufferPointer(start: address, count: size)
        if size >= MemoryPage.largeSize { MemoryPage.preferLarge(bytes) }
        bytes.initializeMemory(as: UInt64.self, repeating: 0)
        return address
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
