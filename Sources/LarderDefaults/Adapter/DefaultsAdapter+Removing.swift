import LarderCore
import LarderDeviceStorage

extension DefaultsAdapter {
    /// Whether there is a value under a key, readable or not: stored, registered, or in a layer.
    ///
    /// - Parameter key: The key.
    /// - Returns: `false` when there is none, and when the store can't be read, which is reported.
    public func hasKey<Value>(_ key: DefaultsKey<Value>) -> Bool {
        do {
            return try place.origin(of: key) != .keyDefault
        } catch {
            store.issues.report(.unreadable(key._key, as: Value.T.self, error))
            return false
        }
    }

    /// Whether there is a value under a key of the key store, readable or not: stored, registered, or in a layer.
    ///
    /// - Parameter keyPath: The key.
    /// - Returns: `false` when there is none, and when the store can't be read, which is reported.
    public func hasKey<Value>(_ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) -> Bool {
        hasKey(keyStore[keyPath: keyPath])
    }

    /// Removes the value of a key, which then reads as its default.
    ///
    /// A missing one is no error. When the value can't be removed it stays, which is reported.
    ///
    /// - Parameter key: The key.
    public func remove<Value>(_ key: DefaultsKey<Value>) { remove(key.storeKeys, key: key._key) }

    /// Removes the value of a key of the key store, which then reads as its default.
    ///
    /// A missing one is no error. When the value can't be removed it stays, which is reported.
    ///
    /// - Parameter keyPath: The key.
    public func remove<Value>(_ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) { remove(keyStore[keyPath: keyPath]) }

    /// Removes the values of several keys in one commit; all of them then read as their defaults.
    ///
    /// When they can't be removed all of them stay, which is reported.
    ///
    /// - Parameter keys: The keys.
    public func reset<each Value>(_ keys: repeat DefaultsKey<each Value>) {
        var all: [StoreKey] = []
        repeat all += (each keys).storeKeys
        remove(all)
    }

    /// Removes the values of several keys of the key store in one commit; all of them then read as their defaults.
    ///
    /// When they can't be removed all of them stay, which is reported.
    ///
    /// - Parameter keyPaths: The keys.
    public func reset<each Value>(_ keyPaths: repeat KeyPath<KeyStore, DefaultsKey<each Value>>) {
        reset(repeat keyStore[keyPath: each keyPaths])
    }

    /// Removes the values under several names in one commit.
    ///
    /// When they can't be removed all of them stay, which is reported.
    ///
    /// - Parameter names: The names of keys.
    public func reset(names: [String]) { remove(names.map { StoreKey($0) }) }

    /// Removes, in one commit, the values of all keys that are this adapter's.
    ///
    /// That is the keys which it or an earlier adapter with the same ``DefaultsKeyStore/keyStoreName`` wrote, and those that are
    /// stored properties of the key store. All else in the store stays, and what is registered. When they can't be removed all
    /// of them stay, which is reported.
    public func removeAll() {
        do {
            let place = place
            let names = try place.written.names(of: KeyStore.keyStoreName).map { StoreKey($0) }
            // Of names made at run time most may have been removed long ago.
            let keys = try (names + declaredKeys.flatMap(\.storeKeys)).filter { try place.store.get($0) != nil }
            if !keys.isEmpty { remove(keys) }
        } catch {
            store.issues.report(LarderIssue(.readFailed, "The keys to remove can't be read.", underlying: error))
        }
    }

    /// The keys that are stored properties of the key store; computed ones can't be listed.
    var declaredKeys: [any DeclaredKey] {
        Mirror(reflecting: keyStore).children.compactMap { $0.value as? any DeclaredKey }
    }

    private func remove(_ keys: [StoreKey], key: String? = nil) {
        let place = place
        do {
            try place.exclusively(keys) {
                try place.store.transaction { transaction in
                    for key in keys { try transaction.remove(key) }
                }
            }
        } catch {
            place.store.issues.report(
                LarderIssue(
                    .writeFailed,
                    "Nothing was removed; every value is still there.",
                    key: key,
                    underlying: error
                )
            )
        }
    }
}
