import LarderCore

extension DefaultsAdapter {
    /// Returns the values of a key as an asynchronous sequence.
    ///
    /// ```swift
    /// for await isMuted in Defaults.updates(muteKey) where isMuted { ... }
    /// ```
    ///
    /// The sequence has one element for each commit that changes the key. The element is the value after that commit.
    ///
    /// - Parameters:
    ///   - key: The key to observe.
    ///   - initial: Whether the current value is the first element.
    /// - Returns: A single-use sequence that includes all commits made after this call returns.
    public func updates<Value: DefaultsSerializable & SendableMetatype>(
        _ key: DefaultsKey<Value>,
        initial: Bool = true
    ) -> DefaultsUpdates<Value.T> where Value.T: Sendable {
        let place = place
        return updates(ofNames: [key._key], initial: initial) { place.value(of: key, in: $0) }
    }

    /// Returns the values of the key at a key path as an asynchronous sequence.
    ///
    /// See `updates(_:initial:)`.
    ///
    /// - Parameters:
    ///   - keyPath: The path from the key store to the key.
    ///   - initial: Whether the current value is the first element.
    /// - Returns: A single-use sequence that includes all commits made after this call returns.
    public func updates<Value: DefaultsSerializable & SendableMetatype>(
        _ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>,
        initial: Bool = true
    ) -> DefaultsUpdates<Value.T> where Value.T: Sendable {
        updates(keyStore[keyPath: keyPath], initial: initial)
    }

    /// Returns the values of several keys as an asynchronous sequence of tuples.
    ///
    /// ```swift
    /// for await (name, theme) in Defaults.updates(nameKey, themeKey) { ... }
    /// ```
    ///
    /// The sequence has one element for each commit that changes any of the keys. The element contains the values after that commit.
    ///
    /// - Parameters:
    ///   - keys: The keys to observe.
    ///   - initial: Whether the current values are the first element.
    /// - Returns: A single-use sequence that includes all commits made after this call returns.
    public func updates<each Value: DefaultsSerializable & SendableMetatype>(
        _ keys: repeat DefaultsKey<each Value>,
        initial: Bool = true
    ) -> DefaultsUpdates<(repeat (each Value).T)> where repeat (each Value).T: Sendable {
        let place = place
        return updates(ofNames: names(repeat each keys), initial: initial) { stored in
            (repeat place.value(of: each keys, in: stored))
        }
    }

    /// Returns the values of the keys at several key paths as an asynchronous sequence of tuples.
    ///
    /// See `updates(_:initial:)`.
    ///
    /// - Parameters:
    ///   - keyPaths: The paths from the key store to the keys.
    ///   - initial: Whether the current values are the first element.
    /// - Returns: A single-use sequence that includes all commits made after this call returns.
    public func updates<each Value: DefaultsSerializable & SendableMetatype>(
        _ keyPaths: repeat KeyPath<KeyStore, DefaultsKey<each Value>>,
        initial: Bool = true
    ) -> DefaultsUpdates<(repeat (each Value).T)> where repeat (each Value).T: Sendable {
        updates(repeat keyStore[keyPath: each keyPaths], initial: initial)
    }

    /// Returns a sequence with one `Void` element for each commit that changes any of the keys.
    ///
    /// ```swift
    /// for await _ in Defaults.updates([nameKey, themeKey]) { redraw() }
    /// ```
    ///
    /// - Parameters:
    ///   - keys: The keys to observe, which may have different types.
    ///   - initial: Whether the sequence begins with an immediate element, before any commit.
    /// - Returns: A single-use sequence that includes all commits made after this call returns.
    public func updates(_ keys: [any AnyDefaultsKey], initial: Bool = true) -> DefaultsUpdates<Void> {
        updates(ofNames: keys.map(\._key), initial: initial) { _ in }
    }

    /// Returns a sequence with one `Void` element for each commit that changes any of the keys at the given key paths.
    ///
    /// ```swift
    /// for await _ in Defaults.updates([\.name, \.theme]) { redraw() }
    /// ```
    ///
    /// - Parameters:
    ///   - keyPaths: The key paths of the keys, which may have different types. Properties that are not keys are skipped and reported as
    ///     issues.
    ///   - initial: Whether the sequence begins with an immediate element, before any commit.
    /// - Returns: A single-use sequence that includes all commits made after this call returns.
    public func updates(_ keyPaths: [PartialKeyPath<KeyStore>], initial: Bool = true) -> DefaultsUpdates<Void> {
        let keys = keyPaths.compactMap { keyPath -> (any AnyDefaultsKey)? in
            if let key = keyStore[keyPath: keyPath] as? any AnyDefaultsKey { return key }
            store.issues.report(
                LarderIssue(
                    .unsupportedValue,
                    "A key path refers to a property of type \(type(of: keyStore[keyPath: keyPath])), which is not a DefaultsKey, so it was ignored. Pass the key path of a DefaultsKey.",
                )
            )
            return nil
        }
        return updates(keys, initial: initial)
    }

    /// Returns a sequence with one element for each commit that changes the store.
    ///
    /// - Returns: A single-use sequence that includes all commits made after this call returns.
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
