import LarderCore

extension DefaultsAdapter {
    /// The values of a key from now on.
    ///
    /// ```swift
    /// for await isMuted in Defaults.updates(muteKey) where isMuted { ... }
    /// ```
    ///
    /// One element for each commit that changes it, with the value as that commit left it.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - initial: Whether the first element is the present value.
    /// - Returns: A sequence for one reader. What is committed after this returns is not missed.
    public func updates<Value: DefaultsSerializable & SendableMetatype>(
        _ key: DefaultsKey<Value>,
        initial: Bool = true
    ) -> DefaultsUpdates<Value.T> where Value.T: Sendable {
        let place = place
        return updates(ofNames: [key._key], initial: initial) { place.value(of: key, in: $0) }
    }

    /// The values of a key of the key store from now on.
    ///
    /// See ``updates(_:initial:)-(DefaultsKey<Value>,_)``.
    ///
    /// - Parameters:
    ///   - keyPath: The key.
    ///   - initial: Whether the first element is the present value.
    /// - Returns: A sequence for one reader. What is committed after this returns is not missed.
    public func updates<Value: DefaultsSerializable & SendableMetatype>(
        _ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>,
        initial: Bool = true
    ) -> DefaultsUpdates<Value.T> where Value.T: Sendable {
        updates(keyStore[keyPath: keyPath], initial: initial)
    }

    /// The values of keys from now on, as tuples.
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
        return updates(ofNames: names(repeat each keys), initial: initial) { stored in
            (repeat place.value(of: each keys, in: stored))
        }
    }

    /// The values of keys of the key store from now on, as tuples.
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

    /// One element for each commit from now on that changes any of the keys; what they hold is to be read.
    ///
    /// ```swift
    /// for await _ in Defaults.updates([nameKey, themeKey]) { redraw() }
    /// ```
    ///
    /// - Parameters:
    ///   - keys: The keys, of any types.
    ///   - initial: Whether there is an element at once.
    /// - Returns: A sequence for one reader. What is committed after this returns is not missed.
    public func updates(_ keys: [any AnyDefaultsKey], initial: Bool = true) -> DefaultsUpdates<Void> {
        updates(ofNames: keys.map(\._key), initial: initial) { _ in }
    }

    /// One element for each commit from now on that changes any of the keys of the key store; what they hold is to be read.
    ///
    /// ```swift
    /// for await _ in Defaults.updates([\.name, \.theme]) { redraw() }
    /// ```
    ///
    /// - Parameters:
    ///   - keyPaths: The keys, of any types. A property that is no key is reported as an issue, and left out.
    ///   - initial: Whether there is an element at once.
    /// - Returns: A sequence for one reader. What is committed after this returns is not missed.
    public func updates(_ keyPaths: [PartialKeyPath<KeyStore>], initial: Bool = true) -> DefaultsUpdates<Void> {
        let keys = keyPaths.compactMap { keyPath -> (any AnyDefaultsKey)? in
            if let key = keyStore[keyPath: keyPath] as? any AnyDefaultsKey { return key }
            store.issues.report(
                LarderIssue(
                    .unsupportedValue,
                    "A property of type \(type(of: keyStore[keyPath: keyPath])) is no key and has no updates: pass a DefaultsKey."
                )
            )
            return nil
        }
        return updates(keys, initial: initial)
    }

    /// Each commit from now on that changes anything in the store.
    ///
    /// - Returns: A sequence for one reader. What is committed after this returns is not missed.
    public func changes() -> DefaultsUpdates<DefaultsChange> {
        let place = place
        return DefaultsUpdates(changes: place.store.changes(), first: nil) { DefaultsChange($0, in: place) }
    }

    private func updates<Element: Sendable>(
        ofNames names: [String],
        initial: Bool,
        _ element: @escaping @Sendable ([StoreKey: StoredValue]) -> Element
    ) -> DefaultsUpdates<Element> {
        let place = place
        let snapshot = StoredSnapshot(of: names, in: place)
        let changes = place.store.changes()
        let stored = snapshot.begin()
        return DefaultsUpdates(changes: changes, first: initial ? element(stored) : nil) { event in
            snapshot.update(event).map(element)
        }
    }
}
