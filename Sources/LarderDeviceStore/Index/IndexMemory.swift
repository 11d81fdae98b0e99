import LarderFiles
import Synchronization

/// The memory of indexes: it is readable until this object goes, even when no index uses it any more.
///
/// Readers without a lock may still be looking at memory that an index has just given back. They find out before they believe
/// what they saw, but the memory must be there, and what they meet there must not lead them astray: so it is kept for the next
/// index, for the same use, and freed with the engine. What was a chunk once is one for ever.
package final class IndexMemory: Sendable {
    /// What a piece of memory is for.
    package enum Use: CaseIterable { case view, table, directory, chunk, keys }

    private struct Kind: Hashable {
        let use: Use
        let count: Int
    }

    private struct State {
        var spare: [Kind: [IndexWords]] = [:]
        /// All pieces, and whether readers without a lock may have seen them.
        var all: [IndexWords: Bool] = [:]
        /// Bytes of all pieces.
        var byteCount = 0
        /// Bytes handed out as chunks, and what is left of the piece of memory that they are now cut from.
        var inChunks = 0
        var rest: UnsafeMutableRawBufferPointer?
    }

    private static let cacheLine = 64
    private let state = Mutex(State())

    package init() {}

    deinit {
        state.withLock { state in
            for words in state.all.keys { words.address.deallocate() }
        }
    }

    /// What it takes, in bytes.
    package var byteCount: Int { state.withLock(\.byteCount) }

    /// `count` words, all zero.
    package func take(_ count: Int, for use: Use) -> IndexWords {
        let spare = state.withLock { $0.spare[Kind(use: use, count: count)]?.popLast() }
        if let spare {
            for index in 0..<count { spare[index] = 0 }
            return spare
        }
        let words = IndexWords(Self.allocate(count * 8))
        state.withLock { state in
            state.all[words] = false
            state.byteCount += count * 8
        }
        return words
    }

    /// A chunk: of a large index it is cut from larger pieces.
    package func takeChunk(_ count: Int) -> IndexWords {
        let size = count * 8
        let cut: IndexWords? = state.withLock { state in
            guard state.spare[Kind(use: .chunk, count: count)]?.isEmpty != false else { return nil }
            state.inChunks += size
            // So much that a piece which is hardly used counts for little.
            guard state.inChunks > 8 * MemoryPage.largeSize, MemoryPage.largeSize % size == 0 else { return nil }
            if state.rest?.isEmpty != false {
                let piece = Self.allocate(MemoryPage.largeSize)
                state.all[IndexWords(piece)] = true
                state.byteCount += MemoryPage.largeSize
                state.rest = UnsafeMutableRawBufferPointer(start: piece, count: MemoryPage.largeSize)
            }
            guard let rest = state.rest, let start = rest.baseAddress else { return nil }
            state.rest = UnsafeMutableRawBufferPointer(rebasing: rest[size...])
            return IndexWords(start)
        }
        return cut ?? take(count, for: .chunk)
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
    package func giveBack(_ words: IndexWords, _ count: Int, for use: Use) {
        state.withLock { state in
            // A chunk that was cut from a larger piece is none of its own.
            if state.all[words] != nil { state.all[words] = true }
            state.spare[Kind(use: use, count: count), default: []].append(words)
        }
    }

    /// Takes back what an index has used that no reader without a lock has seen, and frees it, unless one saw it before.
    package func free(_ words: IndexWords, _ count: Int, for use: Use) {
        let isSeen = state.withLock { state in
            if state.all[words] != false {
                state.spare[Kind(use: use, count: count), default: []].append(words)
                return true
            }
            state.all[words] = nil
            state.byteCount -= count * 8
            return false
        }
        if !isSeen { words.address.deallocate() }
    }
}
