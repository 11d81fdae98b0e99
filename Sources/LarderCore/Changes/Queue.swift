/// A first-in, first-out queue with amortized constant time per operation.
package struct Queue<Element> {
    /// The elements in insertion order, in which removed elements at the front are replaced by `nil`.
    private var elements: [Element?] = []
    private var first = 0

    package init() {}

    package var count: Int { elements.count - first }
    package var isEmpty: Bool { first == elements.count }

    package mutating func append(_ element: Element) { elements.append(element) }

    /// Removes and returns the oldest element, or returns `nil` if the queue is empty.
    package mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        defer {
            elements[first] = nil
            first += 1
            // Compacts when half of the array is unused, so that each element is moved once on average.
            if first * 2 >= elements.count {
                elements.removeFirst(first)
                first = 0
            }
        }
        return elements[first]
    }

    package mutating func removeAll() { self = Queue() }
}

extension Queue: Sendable where Element: Sendable {}
