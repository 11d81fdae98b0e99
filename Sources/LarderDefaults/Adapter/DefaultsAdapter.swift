public import Foundation
public import LarderCore
import LarderDeviceStorage

/// Typed access to the values of a store, by the keys of a key store.
///
/// ```swift
/// Defaults[\.launchCount] += 1        // by key path
/// let count = Defaults.launchCount    // as a property
/// Defaults[key: soundKey] = false     // by a key that stands by itself
/// ```
///
/// Nothing here throws. What can't be read reads as the key's default, what can't be written leaves the earlier value, and
/// each such failure is reported on the store's `issues`. Reading never writes. An adapter may be used from any thread; a
/// change in place (`+=`) is a read followed by a write, between which another thread may come.
@dynamicMemberLookup
public struct DefaultsAdapter<KeyStore: DefaultsKeyStore> {
    /// The keys.
    public let keyStore: KeyStore
    /// Where the values are kept.
    public let store: any KeyValueStore
    private let written: WrittenKeys
    private let facade: SendableUserDefaults

    /// An adapter over any store.
    ///
    /// - Parameters:
    ///   - store: Where the values are kept.
    ///   - keyStore: The keys.
    public init(store: any KeyValueStore, keyStore: KeyStore) {
        self.init(facade: StoreUserDefaults(store), keyStore: keyStore)
    }

    /// An adapter over exactly the given `UserDefaults`.
    ///
    /// - Parameters:
    ///   - defaults: Where the values are kept; written through at every change.
    ///   - keyStore: The keys.
    public init(defaults: UserDefaults, keyStore: KeyStore) {
        self.init(facade: defaults.facade, keyStore: keyStore)
    }

    private init(facade: StoreUserDefaults, keyStore: KeyStore) {
        self.keyStore = keyStore
        self.facade = SendableUserDefaults(facade)
        store = facade.store
        written = WrittenKeys(of: KeyStore.self, in: facade.store)
    }

    /// The store as a `UserDefaults`, which is what bridges are handed.
    public var defaults: UserDefaults { facade.userDefaults }

    /// The value of a key; its default while nothing is stored or what is stored can't be read.
    public subscript<Value: DefaultsSerializable>(key key: DefaultsKey<Value>) -> Value.T {
        get { Value._defaults.get(key: key._key, userDefaults: defaults) ?? key.defaultValue }
        nonmutating set {
            written.insert(key._key)
            Value._defaults.save(key: key._key, value: newValue, userDefaults: defaults)
        }
    }

    /// The value of a key of the key store; its default while nothing is stored or what is stored can't be read.
    public subscript<Value: DefaultsSerializable>(keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) -> Value.T {
        get { self[key: keyStore[keyPath: keyPath]] }
        nonmutating set { self[key: keyStore[keyPath: keyPath]] = newValue }
    }

    /// The value of a key of the key store; its default while nothing is stored or what is stored can't be read.
    public subscript<Value: DefaultsSerializable>(
        dynamicMember keyPath: KeyPath<KeyStore, DefaultsKey<Value>>
    ) -> Value.T {
        get { self[keyPath] }
        nonmutating set { self[keyPath] = newValue }
    }
}

extension DefaultsAdapter: Sendable where KeyStore: Sendable {}

extension DefaultsAdapter {
    /// Whether a value is stored under a key, readable or not.
    ///
    /// - Parameter key: The key.
    /// - Returns: `false` when there is none, and when the store can't be read, which is reported.
    public func hasKey<Value>(_ key: DefaultsKey<Value>) -> Bool {
        do {
            return try store.contains(StoreKey(key._key))
        } catch {
            store.issues.report(.unreadable(key._key, as: Value.T.self, error))
            return false
        }
    }

    /// Whether a value is stored under a key of the key store, readable or not.
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
    public func remove<Value>(_ key: DefaultsKey<Value>) { remove(names: [key._key]) }

    /// Removes the value of a key of the key store, which then reads as its default.
    ///
    /// A missing one is no error. When the value can't be removed it stays, which is reported.
    ///
    /// - Parameter keyPath: The key.
    public func remove<Value>(_ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) { remove(keyStore[keyPath: keyPath]) }

    /// Removes, in one step, the values of all keys that are this adapter's.
    ///
    /// That is the keys which it or an earlier adapter with the same type of key store wrote, and those that are stored
    /// properties of the key store. All else in the store stays. When they can't be removed all of them stay, which is reported.
    public func removeAll() {
        do {
            let declared = Mirror(reflecting: keyStore).children.compactMap { ($0.value as? any NamedKey)?._key }
            remove(names: try written.names() + declared)
        } catch {
            store.issues.report(LarderIssue(.readFailed, "The keys to remove can't be read.", underlying: error))
        }
    }

    private func remove(names: [String]) {
        do {
            try store.transaction { transaction in
                for name in names { try transaction.remove(StoreKey(name)) }
            }
        } catch {
            store.issues.report(
                LarderIssue(
                    .writeFailed,
                    "Nothing was removed; every value is still there.",
                    key: names.count == 1 ? names.first : nil,
                    underlying: error
                )
            )
        }
    }
}
