import Synchronization

/// Collects the values that handlers receive on several threads.
final class Recorder<Element: Sendable>: Sendable {
    private let recorded = Mutex<[Element]>([])

    var all: [Element] { recorded.withLock { $0 } }

    func add(_ element: Element) { recorded.withLock { $0.append(element) } }
}
