import Foundation
public import LarderCore
import LarderDeviceStorage

/// The store, the layers and the caches that an adapter uses.
@usableFromInline
final class DefaultsPlace: Sendable {
    /// The store that receives all writes.
    @usableFromInline let store: any KeyValueStore
    /// Whether there are no layers, so that reads can go directly to the store.
    @usableFromInline let isPlain: Bool
    /// A store for reads, which returns values from the layers before values from the store.
    let layered: LayeredStore
    /// The `UserDefaults` object that bridges receive.
    let facade: SendableUserDefaults
    let written: WrittenKeys
    let declarations = KeyDeclarations()
    let decoded = DecodedValues()
    let claimPlace: KeyClaims.Place
    let claims: KeyClaims
    /// The store, if the store can commit a single conditional put faster than a batch, or `nil` otherwise.
    ///
    /// The expectation of a conditional put never matches an expired value.
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

    /// The facade over the store, which also returns registered values.
    var userDefaults: UserDefaultsFacade { facade.userDefaults.facade }

    /// Returns the stored form of a key's value from a layer, the store or the registered values.
    func value(_ key: StoreKey) throws -> StoredValue? {
        try layered.get(key) ?? userDefaults.registeredValue(forKey: key.text)
    }

    /// Runs `body`, which changes keys, while this thread holds the claims on these keys.
    ///
    /// Observers are notified after the keys' claims are released.
    ///
    /// - Parameters:
    ///   - keys: The keys to change.
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
