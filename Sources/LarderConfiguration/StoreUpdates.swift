#if Configuration
import LarderCore

/// An asynchronous sequence that yields one element immediately, and another element after each change to a store.
struct StoreUpdates<Element: Sendable>: AsyncSequence, Sendable {
    private let changes: StoreChanges
    private let current: @Sendable () -> Element

    init(_ changes: StoreChanges, _ current: @escaping @Sendable () -> Element) {
        self.changes = changes
        self.current = current
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var events: StoreChanges.AsyncIterator
        fileprivate var isFirst = true
        fileprivate let current: @Sendable () -> Element

        mutating func next() async -> Element? { await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            if isFirst {
                isFirst = false
                return current()
            }
            return await events.next(isolation: actor).map { _ in current() }
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(events: changes.makeAsyncIterator(), current: current) }
}
#endif
