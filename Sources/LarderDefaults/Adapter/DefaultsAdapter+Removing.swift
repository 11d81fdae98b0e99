import LarderCore
import LarderDeviceStorage

extension DefaultsAdapter {
    /// Returns whether a layer, the store or the registered values contain a value for a key, even if the value can't be decoded.
    ///
    /// - Parameter key: The key to look up.
    /// - Returns: `true` if there is a value. If the store can't be read, the result is `false` and the error is reported as an issue.
    public func hasKey<Value>(_ key: DefaultsKey<Value>) -> Bool {
        do {
            return try place.origin(of: key) != .keyDefault
        } catch {
            store.issues.report(.unreadable(key._key, as: Value.T.self, error))
            return false
        }
    }

    /// Returns whether a layer, the store or the registered values contain a value for the key at a key path, even if the value can't
    /// be decoded.
    ///
    /// - Parameter keyPath: The path from the key store to the key.
    /// - Returns: `true` if there is a value. If the store can't be read, the result is `false` and the error is reported as an issue.
    public func hasKey<Value>(_ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) -> Bool {
        hasKey(keyStore[keyPath: keyPath])
    }

    /// Removes the stored value of a key, so that reads return the key's default.
    ///
    /// Has no effect if nothing is stored. If the store can't be written, the value is unchanged and an issue is reported.
    ///
    /// - Parameter key: The key whose value to remove.
    public func remove<Value>(_ key: DefaultsKey<Value>) { remove(key.storeKeys, key: key._key) }

    /// Removes the stored value of the key at a key path, so that reads return the key's default.
    ///
    /// Has no effect if nothing is stored. If the store can't be written, the value is unchanged and an issue is reported.
    ///
    /// - Parameter keyPath: The path from the key store to the key.
    public func remove<Value>(_ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) { remove(keyStore[keyPath: keyPath]) }

    /// Removes the stored values of several keys in one commit.
    ///
    /// Reads of these keys then return their defaults. If the store can't be written, all values are unchanged and an issue is reported.
    ///
    /// - Parameter keys: The keys to reset.
    public func reset<each Value>(_ keys: repeat DefaultsKey<each Value>) {
        var all: [StoreKey] = []
        repeat all += (each keys).storeKeys
        remove(all)
    }

    /// Removes the stored values of the keys at several key paths in one commit.
    ///
    /// Reads of these keys then return their defaults. If the store can't be written, all values are unchanged and an issue is reported.
    ///
    /// - Parameter keyPaths: The paths from the key store to the keys.
    public func reset<each Value>(_ keyPaths: repeat KeyPath<KeyStore, DefaultsKey<each Value>>) {
        reset(repeat keyStore[keyPath: each keyPaths])
    }

    /// Removes the values stored under several names in one commit.
    ///
    /// If the store can't be written, all values are unchanged and an issue is reported.
    ///
    /// - Parameter names: The names of the keys whose values to remove.
    public func reset(names: [String]) { remove(names.map { StoreKey($0) }) }

    /// Removes the stored values of all this adapter's keys in one commit.
    ///
    /// An adapter's keys are the stored properties of its key store, and all keys that an adapter with the same
    /// ``DefaultsKeyStore/keyStoreName`` has ever written, even in an earlier process. Other stored values and registered values are
    /// unchanged. If the store can't be written, all values are unchanged and an issue is reported.
    public func removeAll() {
        do {
            let place = place
            let names = try place.written.names(of: identity.name).map { StoreKey($0) }
            // Many recorded names may no longer have a value.
            let keys = try (names + declaredKeys.flatMap(\.storeKeys)).filter { try place.store.get($0) != nil }
            if !keys.isEmpty { remove(keys) }
        } catch {
            store.issues.report(
                LarderIssue(
                    .readFailed,
                    "The list of the keys to remove can't be read from the store, so nothing was removed. Resolve the underlying error, then try again.",
                    underlying: error
                )
            )
        }
    }

    /// The keys that are stored properties of the key store.
    ///
    /// Keys that are computed properties can't be listed.
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
                    "\(key.map { "The value under \($0.debugDescription)" } ?? "The values") could not be removed, so nothing was changed. Resolve the underlying error, then try again.",
                    key: key,
                    underlying: error
                )
            )
        }
    }
}
