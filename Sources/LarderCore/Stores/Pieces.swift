/// A list that lies in pieces of 256 elements: one that grows moves no more than the first of them, and touches little more memory than
/// its elements take.
@usableFromInline
struct Pieces<Element> {
    /// How many elements a piece has, as a power of two.
    @inlinable static var shift: Int { 8 }

    /// The pieces that are full.
    @usableFromInline var full: [[Element]] = []
    /// The one that is not.
    @usableFromInline var last: [Element] = []

    init() {}

    @inlinable var count: Int { full.count << Self.shift + last.count }

    @inlinable
    subscript(position: Int) -> Element {
        let piece = position >> Self.shift
        // Past the end, either of the two arrays says so.
        return piece < full.count
            ? full[piece][position - piece << Self.shift] : last[position - full.count << Self.shift]
    }

    @inline(__always)
    mutating func append(_ element: consuming Element) {
        if last.count == 1 << Self.shift { beginPiece() }
        last.append(element)
    }

    @inline(never)
    private mutating func beginPiece() {
        full.append(last)
        last = []
        last.reserveCapacity(1 << Self.shift)
    }

    mutating func reserveCapacity(_ count: Int) {
        full.reserveCapacity(count >> Self.shift)
        if full.isEmpty { last.reserveCapacity(min(count, 1 << Self.shift)) }
    }

    /// Hands every element to `body` where it lies, so that its references need not be counted, with its place.
    ///
    /// - Parameter body: Returns whether it wants to see more.
    @inlinable @inline(__always)
    func forEachInPlace(_ body: (_ place: Int, UnsafePointer<Element>) throws -> Bool) rethrows {
        for piece in 0...full.count {
            let isDone = try (piece < full.count ? full[piece] : last).withUnsafeBufferPointer { elements in
                guard var element = elements.baseAddress else { return true }
                let first = piece << Self.shift
                for place in 0..<elements.count {
                    if try !body(first + place, element) { return true }
                    element += 1
                }
                return false
            }
            if isDone { return }
        }
    }
}

extension Pieces: Sendable where Element: Sendable {}
