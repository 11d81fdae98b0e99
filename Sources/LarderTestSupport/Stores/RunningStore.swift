package import LarderCore

/// A test store whose task runs until the store is released.
package final class RunningStore<Base: KeyValueStore>: ForwardingStore {
    package let base: any KeyValueStore
    private let task: Task<Void, Never>

    /// Starts the task of a store.
    ///
    /// - Parameters:
    ///   - store: The store to forward calls to.
    ///   - run: The work of the task, which is canceled when the new store is released.
    package init(_ store: Base, run: @escaping @Sendable (Base) async -> Void) {
        base = store
        task = Task { await run(store) }
    }

    deinit { task.cancel() }
}
