import Foundation
public import LarderCore
import LarderDeviceStorage

/// The store, the layers and the caches that an adapter uses.
@usableFromInline
final class DefaultsPlace: Sendable {
    /// The store that receives all writes.
    @usableFromInline let store: any KeyValueStore
    /// Whether the adapter has no ``DefaultsLayer``.
    @usableFromInline let isPlain: Bool
    /// The store that all reads use, which overlays ``store`` with the layers.
    let layered: LayeredStore
    /// The `UserDefaults` object that is passed to bridges.
    let facade: SendableUserDefaults
    let written: WrittenKeys
    let declarations = KeyDeclarations()
    let decoded = DecodedValues()
    let claimPlace: KeyClaims.Place
    let claims: KeyClaims
    /// The store as a ``ConditionalStore``, or `nil` if it does not conform to that protocol.
    let conditional: (any ConditionalStore)?

    init(_ facade: UserDefaultsFacade, layers: [DefaultsLayer] = []) {
        store = facade.store
        isPlain = layers.isEmpty
        layered = LayeredStore(base: facade.store, layers: layers)
        self.facade = SendableUserDefaults(layers.isEmpty ? facade : UserDefaultsFacade(layered))
        written = WrittenKeys(store)
        claimPlace = KeyClaims.Place(store)
        claims = KeyClaims(of: claimPlace)
        conditional = store as? any ConditionalStore
    }

    var userDefaults: UserDefaultsFacade { facade.userDefaults.facade }

    /// Returns the stored form of a key's value, read from the layers, the store or the registered defaults.
    func value(_ key: StoreKey) throws -> StoredValue? {
        try layered.get(key) ?? userDefaults.registeredValue(forKey: key.text)
    }

    /// Runs `body` while this thread holds the locks of the given keys.
    ///
    /// Observers are notified after the locks are released.
    ///
    /// - Parameters:
    ///   - keys: The keys that `body` changes.
    ///   - isWithCaller: Whether `body` runs client code, which may take arbitrarily long.
    ///   - body: A closure that changes the keys.
    /// - Returns: The result of `body`.
    /// - Throws: ``DefaultsError`` with code `nestedWrite` before `body` runs, or an error thrown by `body`.
    func exclusively<Result>(
        _ keys: [StoreKey],
        isWithCaller: Bool = false,
        _ body: () throws -> Result
    ) throws -> Result {
        try RunningTransaction.refuse(keys, in: claimPlace)
        let held = claims.claim(keys, isWithCaller: isWithCaller)
        return try DeferredDeliveries.holdingBack {
            for claim in held { claim.end() }
        } _: {
            let before = DefaultsObservation.beginEchoes(keys, in: store)
            defer { DefaultsObservation.endEchoes(before, in: store) }
            return try body()
        }
    }
}
