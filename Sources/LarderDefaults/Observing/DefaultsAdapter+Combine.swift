#if canImport(Combine)
public import Combine

extension DefaultsAdapter {
    /// The values of a key from the subscription on, as a Combine publisher.
    ///
    /// It never ends. Values come on a thread that commits; order and meaning are those of
    /// ``observe(_:options:handler:)-(DefaultsKey<Value>,_,_)``. Use `receive(on:)` for another thread.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - initial: Whether the present value comes first.
    /// - Returns: The publisher; each subscription observes by itself, until it is cancelled.
    public func publisher<Value: DefaultsSerializable & SendableMetatype>(
        for key: DefaultsKey<Value>,
        initial: Bool = true
    ) -> AnyPublisher<Value.T, Never> where Value.T: Sendable {
        let adapter = self
        // What the handler holds has to be Sendable, and a key store need not be.
        let place = place
        return Deferred {
            // Sound: Combine's subjects may be sent to from any thread, and an observation calls one at a time.
            nonisolated(unsafe) let subject = CurrentValueSubject<Value.T, Never>(place.value(of: key))
            // The present value is set once more by the observation itself, so that no change falls in between.
            let token = adapter.observe(key, options: [.initial, .new]) { update in
                // What is nil in an update may be the value of an optional key.
                subject.send(update.newValue ?? place.value(of: key))
            }
            return subject.dropFirst(initial ? 0 : 1)
                .handleEvents(receiveCancel: { token.dispose() })
        }
        .eraseToAnyPublisher()
    }

    /// The values of a key of the key store from the subscription on, as a Combine publisher.
    ///
    /// See ``publisher(for:initial:)-(DefaultsKey<Value>,_)``.
    ///
    /// - Parameters:
    ///   - keyPath: The key.
    ///   - initial: Whether the present value comes first.
    /// - Returns: The publisher; each subscription observes by itself, until it is cancelled.
    public func publisher<Value: DefaultsSerializable & SendableMetatype>(
        for keyPath: KeyPath<KeyStore, DefaultsKey<Value>>,
        initial: Bool = true
    ) -> AnyPublisher<Value.T, Never> where Value.T: Sendable {
        publisher(for: keyStore[keyPath: keyPath], initial: initial)
    }
}
#endif
