#if canImport(Combine)
public import Combine

extension DefaultsAdapter {
    /// Returns a Combine publisher that sends a key's value after each change.
    ///
    /// The publisher never completes. Values arrive on the thread that made the commit. To receive values on another thread, use
    /// `receive(on:)`. Changes are delivered as described in ``observe(_:options:handler:)-(DefaultsKey<Value>,_,_)``.
    ///
    /// - Parameters:
    ///   - key: The key to observe.
    ///   - initial: Whether to send the current value first.
    /// - Returns: The publisher. Each subscription observes the key until the subscription is canceled.
    public func publisher<Value: DefaultsSerializable & SendableMetatype>(
        for key: DefaultsKey<Value>,
        initial: Bool = true
    ) -> AnyPublisher<Value.T, Never> where Value.T: Sendable {
        let adapter = self
        // The handler's captures must be Sendable, but a key store need not be.
        let place = place
        return Deferred {
            // Safe because Combine's subjects accept values from any thread, and an observation makes one call at a time.
            nonisolated(unsafe) let subject = CurrentValueSubject<Value.T, Never>(place.value(of: key))
            // The observation sends the current value again, because it may have changed since the subject was created.
            let token = adapter.observe(key, options: [.initial, .new]) { update in
                // An update's `nil` may be the value of an optional key.
                subject.send(update.newValue ?? place.value(of: key))
            }
            return subject.dropFirst(initial ? 0 : 1)
                .handleEvents(receiveCancel: { token.dispose() })
        }
        .eraseToAnyPublisher()
    }

    /// Returns a Combine publisher that sends the value of the key at a key path after each change.
    ///
    /// See ``publisher(for:initial:)-(DefaultsKey<Value>,_)``.
    ///
    /// - Parameters:
    ///   - keyPath: The path from the key store to the key.
    ///   - initial: Whether to send the current value first.
    /// - Returns: The publisher. Each subscription observes the key until the subscription is canceled.
    public func publisher<Value: DefaultsSerializable & SendableMetatype>(
        for keyPath: KeyPath<KeyStore, DefaultsKey<Value>>,
        initial: Bool = true
    ) -> AnyPublisher<Value.T, Never> where Value.T: Sendable {
        publisher(for: keyStore[keyPath: keyPath], initial: initial)
    }
}
#endif
