import LarderCore

/// The values of keys as they change, for one reader; see ``DefaultsAdapter/updates(_:initial:)``.
///
/// What the reader has not taken yet is kept, up to 1,024 commits; beyond that the next element has the present values. It ends
/// when the task is cancelled or the store is closed. Iterate it once.
public struct DefaultsUpdates<Element: Sendable>: AsyncSequence, Sendable {
    let changes: StoreChanges
    let first: Element?
    let transform: @Sendable (StoreEvent) -> Element?

    /// Reads the values.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var first: Element?
        var events: StoreChanges.AsyncIterator
        let transform: @Sendable (StoreEvent) -> Element?

        /// The next element, or `nil` when the task was cancelled or the store was closed.
        ///
        /// - Returns: The next element.
        public mutating func next() async -> Element? { await next(isolation: nil) }

        /// The next element, or `nil` when the task was cancelled or the store was closed.
        ///
        /// - Parameter actor: The caller's isolation; no hop is made.
        /// - Returns: The next element.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            if let first {
                self.first = nil
                return first
            }
            while let event = await events.next(isolation: actor) {
                if let element = transform(event) { return element }
            }
            return nil
        }
    }

    /// The one iterator of this sequence.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(first: first, events: changes.makeAsyncIterator(), transform: transform)
    }
}

extension DefaultsAdapter {
    /// The values of keys from now on: one value for one key, a tuple for several.
    ///
    /// ```swift
    /// for await (name, theme) in Defaults.updates(nameKey, themeKey) { ... }
    /// ```
    ///
    /// One element for each commit that changes any of them, with the values as that commit left them.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - initial: Whether the first element is the present values.
    /// - Returns: A sequence for one reader. What is committed after this returns is not missed.
    public func updates<each Value: DefaultsSerializable & SendableMetatype>(
        _ keys: repeat DefaultsKey<each Value>,
        initial: Bool = true
    ) -> DefaultsUpdates<(repeat (each Value).T)> where repeat (each Value).T: Sendable {
        let place = place
        let snapshot = StoredSnapshot(of: names(repeat each keys), in: place)
        let values: @Sendable ([StoreKey: StoredValue]) -> (repeat (each Value).T) = { stored in
            (repeat place.value(of: each keys, in: stored))
        }
        let changes = place.store.changes()
        let stored = snapshot.begin()
        return DefaultsUpdates(changes: changes, first: initial ? values(stored) : nil) { event in
            snapshot.update(event).map(values)
        }
    }

    /// The values of keys of the key store from now on: one value for one key, a tuple for several.
    ///
    /// See ``updates(_:initial:)-(DefaultsKey<Value>,_)``.
    ///
    /// - Parameters:
    ///   - keyPaths: The keys.
    ///   - initial: Whether the first element is the present values.
    /// - Returns: A sequence for one reader. What is committed after this returns is not missed.
    public func updates<each Value: DefaultsSerializable & SendableMetatype>(
        _ keyPaths: repeat KeyPath<KeyStore, DefaultsKey<each Value>>,
        initial: Bool = true
    ) -> DefaultsUpdates<(repeat (each Value).T)> where repeat (each Value).T: Sendable {
        updates(repeat keyStore[keyPath: each keyPaths], initial: initial)
    }

    /// Each commit from now on that changes anything in the store.
    ///
    /// - Returns: A sequence for one reader. What is committed after this returns is not missed.
    public func changes() -> DefaultsUpdates<DefaultsChange> {
        let place = place
        return DefaultsUpdates(changes: place.store.changes(), first: nil) { DefaultsChange($0, in: place) }
    }
}
