import LarderFiles
import Synchronization

/// A thread-safe queue of elements that have not been printed yet.
final class Inbox<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])
    private let arrived = ThreadSemaphore()

    func add(_ element: Element) {
        elements.withLock { $0.append(element) }
        arrived.signal()
    }

    /// Waits up to 250 milliseconds for an element, and returns all elements that have arrived.
    func next() -> [Element] {
        arrived.wait(within: .milliseconds(250))
        return elements.withLock { elements in
            defer { elements = [] }
            return elements
        }
    }
}
