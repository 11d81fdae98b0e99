/// A list that stores its elements in chunks of 256 elements each.
///
/// Unlike an array, the list copies at most its first chunk when it grows, so it uses little more memory than its elements need.
struct Pieces<Element> {
    /// The base-2 logarithm of the number of elements per chunk.
    private static var shift: Int { 8 }

    /// The full chunks, in order.
    private var full: [[Element]] = []
    /// The last chunk, to which new elements are appended.
    private var last: [Element] = []

    init() {}

    var count: Int { full.count << Self.shift + last.count }

    subscript(position: Int) -> Element {
        let piece = position >> Self.shift
        // A position past the end traps in either array.
        return piece < full.count
            ? full[piece][position - piece << Self.shift] : last[position - full.count << Self.shift]
    }

    mutating func append(_ element: consuming Element) {
        if last.count == 1 << Self.shift { beginPiece() }
        last.append(element)
    }

    private mutating func beginPiece() {
        full.append(last)
        last = []
        last.reserveCapacity(1 << Self.shift)
    }

    mutating func reserveCapacity(_ count: Int) {
        full.reserveCapacity(count >> Self.shift)
        if full.isEmpty { last.reserveCapacity(min(count, 1 << Self.shift)) }
    }

    /// Calls `body` with each chunk in order, without copying or retaining the elements.
    ///
    /// - Parameter body: A closure that receives a chunk and the position of its first element, and returns whether to continue.
    func forEachPiece(_ body: (UnsafeBufferPointer<Element>, _ first: Int) throws -> Bool) rethrows {
        for piece in full.indices {
            if try !full[piece].withUnsafeBufferPointer({ try body($0, piece << Self.shift) }) { return }
        }
        _ = try last.withUnsafeBufferPointer { try body($0, full.count << Self.shift) }
    }
}

extension Pieces: Sendable where Element: Sendable {}
