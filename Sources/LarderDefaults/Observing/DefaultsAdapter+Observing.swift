import LarderCore

extension DefaultsAdapter {
    /// Calls a handler whenever the value of a key changes, whoever changes it.
    ///
    /// **Order and thread.** One call at a time, in the order of the commits, on a thread that commits, after the commit is
    /// visible and outside every lock. A change is one that leaves another stored value: setting an equal one is none. A
    /// transaction is one change. The handler may read, write and dispose of its own observation; what it writes is
    /// delivered after it returns. Changes of other processes arrive if the store says so.
    ///
    /// - Parameters:
    ///   - key: The key: any name, dots included.
    ///   - options: What to tell; without ``DefaultsObservingOptions/initial`` the first call is for the first change.
    ///   - handler: Called with each update.
    /// - Returns: The observation. Keep it: when it is released, observing ends.
    public func observe<Value: DefaultsSerializable & SendableMetatype>(
        _ key: DefaultsKey<Value>,
        options: DefaultsObservingOptions = [.old, .new],
        handler: @escaping @Sendable (DefaultsUpdate<Value.T>) -> Void
    ) -> any DefaultsDisposable where Value.T: Sendable {
        let observed = ObservedKey(key, in: place, options: options, handler: handler)
        return DefaultsObservation(place.store, prefix: key._key, initial: observed.begin) {
            observed.handle($0, isTold: $1)
        }
    }

    /// Calls a handler whenever the value of a key of the key store changes, whoever changes it.
    ///
    /// For order and thread see ``observe(_:options:handler:)-(DefaultsKey<Value>,_,_)``.
    ///
    /// - Parameters:
    ///   - keyPath: The key.
    ///   - options: What to tell.
    ///   - handler: Called with each update.
    /// - Returns: The observation. Keep it: when it is released, observing ends.
    public func observe<Value: DefaultsSerializable & SendableMetatype>(
        _ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>,
        options: DefaultsObservingOptions = [.old, .new],
        handler: @escaping @Sendable (DefaultsUpdate<Value.T>) -> Void
    ) -> any DefaultsDisposable where Value.T: Sendable {
        observe(keyStore[keyPath: keyPath], options: options, handler: handler)
    }

    /// Calls a handler with the values of several keys whenever one of them changes: once for a commit, whatever it changes.
    ///
    /// For order and thread see ``observe(_:options:handler:)-(DefaultsKey<Value>,_,_)``.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - initial: Whether to call it at once, before this returns.
    ///   - handler: Called with the values as that commit left them.
    /// - Returns: The observation. Keep it: when it is released, observing ends.
    public func observe<each Value: DefaultsSerializable & SendableMetatype>(
        keys: repeat DefaultsKey<each Value>,
        initial: Bool = false,
        handler: @escaping @Sendable (repeat (each Value).T) -> Void
    ) -> any DefaultsDisposable where repeat (each Value).T: Sendable {
        let place = place
        let snapshot = StoredSnapshot(of: names(repeat each keys), in: place)
        let tell: @Sendable ([StoreKey: StoredValue]) -> Void = { stored in
            handler(repeat place.value(of: each keys, in: stored))
        }
        return DefaultsObservation(place.store) {
            let stored = snapshot.begin()
            if initial { tell(stored) }
        } handle: { event, isTold in
            if let stored = snapshot.update(event), isTold { tell(stored) }
        }
    }

    /// Calls a handler with the values of several keys of the key store whenever one of them changes: once for a commit, whatever it changes.
    ///
    /// For order and thread see ``observe(_:options:handler:)-(DefaultsKey<Value>,_,_)``.
    ///
    /// - Parameters:
    ///   - keyPaths: The keys.
    ///   - initial: Whether to call it at once, before this returns.
    ///   - handler: Called with the values as that commit left them.
    /// - Returns: The observation. Keep it: when it is released, observing ends.
    public func observe<each Value: DefaultsSerializable & SendableMetatype>(
        keys keyPaths: repeat KeyPath<KeyStore, DefaultsKey<each Value>>,
        initial: Bool = false,
        handler: @escaping @Sendable (repeat (each Value).T) -> Void
    ) -> any DefaultsDisposable where repeat (each Value).T: Sendable {
        observe(keys: repeat keyStore[keyPath: each keyPaths], initial: initial, handler: handler)
    }

    /// Calls a handler for each commit that changes anything in the store, also what no key of this adapter names.
    ///
    /// For order and thread see ``observe(_:options:handler:)-(DefaultsKey<Value>,_,_)``.
    ///
    /// - Parameter handler: Called once for a commit.
    /// - Returns: The observation. Keep it: when it is released, observing ends.
    public func observeAll(_ handler: @escaping @Sendable (DefaultsChange) -> Void) -> any DefaultsDisposable {
        let place = place
        return DefaultsObservation(place.store) {
        } handle: { event, isTold in
            if isTold { handler(DefaultsChange(event, in: place)) }
        }
    }

    /// Lets a handler write without being told of it.
    ///
    /// ```swift
    /// let token = Defaults.observe(\.name) { update in
    ///     Defaults.withoutPropagation { Defaults.name = update.newValue?.trimmed }
    /// }
    /// ```
    ///
    /// What typed keys of this adapter write in `body` is kept as ever, and other observers are told; the observation whose handler
    /// calls this is not. Outside of a handler it changes nothing.
    ///
    /// - Parameter body: Writes.
    /// - Returns: What `body` returned.
    /// - Throws: What `body` threw.
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
    /// What a key reads as when the store held these values.
    func value<Value>(of key: DefaultsKey<Value>, in stored: [StoreKey: StoredValue]) -> Value.T {
        let name = StoreKey(key._key)
        if layered.overlay(name) != nil { return value(of: key) }
        return value(of: key, stored: stored[name])
    }
}
