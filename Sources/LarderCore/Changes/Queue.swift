/// What waits to be taken in the order in which it came: both at a cost that does not grow with how much waits.
package struct Queue<Element> {
    /// `nil` where it was taken.
    private var elements: [Element?] = []
    private var first = 0

    package init() {}

    package var count: Int { elements.count - first }
    package var isEmpty: Bool { first == elements.count }

    package mutating func append(_ element: Element) { elements.append(element) }

    /// Takes the one that waits longest; `nil` when none does.
    package mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        defer {
            elements[first] = nil
            first += 1
            // Once so many as are left were taken, moving those is a matter of one for each.
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
