import LarderCore

extension DefaultsAdapter {
    /// Calls a handler when the value of a key changes.
    ///
    /// **Order and thread.** The handler runs after the commit, on a committing thread, while no lock is held. Calls are made one at a
    /// time, in the order of the commits. Writing a value that equals the stored value is not a change, and a transaction is one change.
    /// The handler may read and write values and end its own observation. The handler's own writes are delivered after the handler returns.
    /// Changes made by other processes are delivered if the store observes them.
    ///
    /// - Parameters:
    ///   - key: The key to observe, whose name may contain dots.
    ///   - options: The updates and values that the handler receives. With ``DefaultsObservingOptions/initial``, the handler is called once
    ///     before this method returns.
    ///   - handler: The closure to call with each update.
    /// - Returns: The observation, which ends when the returned object is released.
    public func observe<Value: DefaultsSerializable & SendableMetatype>(
        _ key: DefaultsKey<Value>,
        options: DefaultsObservingOptions = [.old, .new],
        handler: @escaping @Sendable (DefaultsUpdate<Value.T>) -> Void
    ) -> any DefaultsDisposable where Value.T: Sendable {
        let observed = ObservedKey(key, in: place, options: options, handler: handler)
        return DefaultsObservation(place.store, prefix: key._key, initial: observed.begin) {
            observed.handle($0, shouldNotify: $1)
        }
    }

    /// Calls a handler when the value of the key at a key path changes.
    ///
    /// For the order and the thread of the calls, see ``observe(_:options:handler:)-(DefaultsKey<Value>,_,_)``.
    ///
    /// - Parameters:
    ///   - keyPath: The path from the key store to the key.
    ///   - options: The updates and values that the handler receives.
    ///   - handler: The closure to call with each update.
    /// - Returns: The observation, which ends when the returned object is released.
    public func observe<Value: DefaultsSerializable & SendableMetatype>(
        _ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>,
        options: DefaultsObservingOptions = [.old, .new],
        handler: @escaping @Sendable (DefaultsUpdate<Value.T>) -> Void
    ) -> any DefaultsDisposable where Value.T: Sendable {
        observe(keyStore[keyPath: keyPath], options: options, handler: handler)
    }

    /// Calls a handler with the values of several keys after each commit that changes at least one of them.
    ///
    /// For the order and the thread of the calls, see ``observe(_:options:handler:)-(DefaultsKey<Value>,_,_)``.
    ///
    /// - Parameters:
    ///   - keys: The keys to observe.
    ///   - initial: Whether to call the handler once before this method returns.
    ///   - handler: The closure to call with the values after the commit.
    /// - Returns: The observation, which ends when the returned object is released.
    public func observe<each Value: DefaultsSerializable & SendableMetatype>(
        keys: repeat DefaultsKey<each Value>,
        initial: Bool = false,
        handler: @escaping @Sendable (repeat (each Value).T) -> Void
    ) -> any DefaultsDisposable where repeat (each Value).T: Sendable {
        let place = place
        let snapshot = StoredSnapshot(of: names(repeat each keys), in: place)
        let notify: @Sendable ([StoreKey: StoredValue]) -> Void = { stored in
            handler(repeat place.value(of: each keys, in: stored))
        }
        return DefaultsObservation(place.store) {
            let stored = snapshot.begin()
            if initial { notify(stored) }
        } handle: { event, shouldNotify in
            if let stored = snapshot.update(event), shouldNotify { notify(stored) }
        }
    }

    /// Calls a handler with the values of the keys at several key paths after each commit that changes at least one of them.
    ///
    /// For the order and the thread of the calls, see ``observe(_:options:handler:)-(DefaultsKey<Value>,_,_)``.
    ///
    /// - Parameters:
    ///   - keyPaths: The paths from the key store to the keys.
    ///   - initial: Whether to call the handler once before this method returns.
    ///   - handler: The closure to call with the values after the commit.
    /// - Returns: The observation, which ends when the returned object is released.
    public func observe<each Value: DefaultsSerializable & SendableMetatype>(
        keys keyPaths: repeat KeyPath<KeyStore, DefaultsKey<each Value>>,
        initial: Bool = false,
        handler: @escaping @Sendable (repeat (each Value).T) -> Void
    ) -> any DefaultsDisposable where repeat (each Value).T: Sendable {
        observe(keys: repeat keyStore[keyPath: each keyPaths], initial: initial, handler: handler)
    }

    /// Calls a handler for each commit that changes the store, even if the commit changes no key of this adapter.
    ///
    /// For the order and the thread of the calls, see ``observe(_:options:handler:)-(DefaultsKey<Value>,_,_)``.
    ///
    /// - Parameter handler: The closure to call once per commit.
    /// - Returns: The observation, which ends when the returned object is released.
    public func observeAll(_ handler: @escaping @Sendable (DefaultsChange) -> Void) -> any DefaultsDisposable {
        let place = place
        return DefaultsObservation(place.store) {
        } handle: { event, shouldNotify in
            if shouldNotify { handler(DefaultsChange(event, in: place)) }
        }
    }

    /// Lets an observer's handler write values without notifying the same observer.
    ///
    /// ```swift
    /// let token = Defaults.observe(\.name) { update in
    ///     Defaults.withoutPropagation { Defaults.name = update.newValue?.trimmed }
    /// }
    /// ```
    ///
    /// Values that `body` writes through typed keys of this adapter are stored as usual, and other observers are notified. Outside of a
    /// handler, this method only runs `body`.
    ///
    /// - Parameter body: The closure that writes values.
    /// - Returns: The result of `body`.
    /// - Throws: An error thrown by `body`.
    public func withoutPropagation<Result>(_ body: () throws -> Result) rethrows -> Result {
        try DefaultsObservation.$muted.withValue(DefaultsObservation.current, operation: body)
    }

    func names<each Value>(_ keys: repeat DefaultsKey<each Value>) -> [String] {
        var names: [String] = []
        repeat names.append((each keys)._key)
        return names
    }
}

extension DefaultsPlace {
    /// Returns a key's value from the first layer that has the key, or otherwise from `stored`, a snapshot of the store.
    func value<Value>(of key: DefaultsKey<Value>, in stored: [StoreKey: StoredValue]) -> Value.T {
        let name = StoreKey(key._key)
        if layered.overlay(name) != nil { return value(of: key) }
        return value(of: key, stored: stored[name])
    }
}
