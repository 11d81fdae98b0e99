#if Objects
internal import LarderCore

/// An array of chunks, whose copies share the chunks that neither copy has changed.
///
/// Insertions and removals copy at most one chunk, so that a list can be changed while copies of it exist.
struct ChunkedList<Element> {
    /// The elements in chunks, none of which is empty.
    private(set) var chunks: [[Element]] = []
    /// For each chunk, the number of elements in it and in the chunks before it.
    private var ends: [Int] = []

    /// The maximum number of elements of a chunk.
    private static var capacity: Int { 512 }

    init() {}

    init(_ elements: [Element]) {
        for start in stride(from: 0, to: elements.count, by: Self.capacity) {
            let end = Swift.min(start + Self.capacity, elements.count)
            chunks.append(Array(elements[start..<end]))
            ends.append(end)
        }
    }

    /// Returns the index of the first element for which a condition is true, or the number of elements if there is none.
    ///
    /// The elements for which the condition is true must follow all others.
    func place(where condition: (Element) -> Bool) -> Int {
        let chunk = chunks.partitioningIndex { $0.last.map(condition) ?? false }
        guard chunk < chunks.count else { return count }
        return start(of: chunk) + chunks[chunk].partitioningIndex(where: condition)
    }

    /// Inserts an element so that it has the given index.
    mutating func insert(_ element: Element, at index: Int) {
        if chunks.isEmpty {
            chunks = [[element]]
            ends = [1]
            return
        }
        // An index behind a chunk's last element is in this chunk, so that appending does not begin a chunk.
        let chunk = ends.partitioningIndex { $0 >= index }
        chunks[chunk].insert(element, at: index - start(of: chunk))
        for place in chunk..<ends.count { ends[place] += 1 }
        if chunks[chunk].count > Self.capacity { split(chunk) }
    }

    /// Removes the element at an index.
    mutating func remove(at index: Int) {
        let chunk = self.chunk(of: index)
        chunks[chunk].remove(at: index - start(of: chunk))
        for place in chunk..<ends.count { ends[place] -= 1 }
        if chunks[chunk].count < Self.capacity / 4 { merge(chunk) }
    }

    private func chunk(of index: Int) -> Int { ends.partitioningIndex { $0 > index } }
    private func start(of chunk: Int) -> Int { chunk == 0 ? 0 : ends[chunk - 1] }

    private mutating func split(_ chunk: Int) {
        let middle = chunks[chunk].count / 2
        let second = Array(chunks[chunk][middle...])
        chunks[chunk].removeSubrange(middle...)
        chunks.insert(second, at: chunk + 1)
        ends.insert(start(of: chunk) + middle, at: chunk)
    }

    /// Moves the elements of a small chunk to a neighbor that has room for them.
    private mutating func merge(_ chunk: Int) {
        let elements = chunks[chunk]
        if chunk > 0, chunks[chunk - 1].count + elements.count <= Self.capacity {
            chunks[chunk - 1] += elements
            ends.remove(at: chunk - 1)
        } else if chunk + 1 < chunks.count, chunks[chunk + 1].count + elements.count <= Self.capacity {
            chunks[chunk + 1].insert(contentsOf: elements, at: 0)
            ends.remove(at: chunk)
        } else if elements.isEmpty {
            ends.remove(at: chunk)
        } else {
            return
        }
        chunks.remove(at: chunk)
    }
}

extension ChunkedList: RandomAccessCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { ends.last ?? 0 }

    subscript(index: Int) -> Element {
        let chunk = self.chunk(of: index)
        return chunks[chunk][index - start(of: chunk)]
    }
}

extension ChunkedList: Sendable where Element: Sendable {}
#endif
