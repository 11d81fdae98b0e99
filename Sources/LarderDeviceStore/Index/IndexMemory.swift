import LarderFiles
import Synchronization

/// An allocator for the in-memory index that keeps deallocated blocks readable until the allocator is released.
///
/// Lock-free readers may still be reading a deallocated block. The block is therefore not freed, and is reused only for the same purpose,
/// for example as a chunk.
package final class IndexMemory: Sendable {
    /// The part of an index that a block stores.
    package enum Use: CaseIterable { case view, table, directory, chunk, keys }

    private struct Kind: Hashable {
        let use: Use
        let count: Int
    }

    private struct State {
        var spare: [Kind: [IndexWords]] = [:]
        /// All blocks, each with a flag that is `true` if lock-free readers may have accessed the block.
        var all: [IndexWords: Bool] = [:]
        /// The total size of all allocated blocks in bytes.
        var byteCount = 0
    }

    private static let cacheLine = 64
    private let state = Mutex(State())

    package init() {}

    deinit {
        state.withLock { state in
            for words in state.all.keys { words.address.deallocate() }
        }
    }

    /// The total size of all allocated blocks in bytes.
    package var byteCount: Int { state.withLock(\.byteCount) }

    /// Returns a zeroed block of `count` 8-byte words.
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

    private static func allocate(_ size: Int) -> UnsafeMutableRawPointer {
        let address = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: cacheLine)
        address.initializeMemory(as: UInt64.self, repeating: 0, count: size / 8)
        return address
    }

    /// Makes an unused block available for reuse without freeing it.
    package func giveBack(_ words: IndexWords, _ count: Int, for use: Use) {
        state.withLock { state in
            state.all[words] = true
            state.spare[Kind(use: use, count: count), default: []].append(words)
        }
    }

    /// Frees a block.
    ///
    /// A block that lock-free readers may be reading is not returned to the system, but reused.
    package func free(_ words: IndexWords, _ count: Int, for use: Use) {
        let isSeen = state.withLock { state in
            if state.all[words] == true {
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
