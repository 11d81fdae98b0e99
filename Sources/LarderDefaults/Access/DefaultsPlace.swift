import Foundation
public import LarderCore
import LarderDeviceStorage

/// Where the values of an adapter are: the store, what is laid over it, and what is kept beside it.
@usableFromInline
final class DefaultsPlace: Sendable {
    /// What is written.
    @usableFromInline let store: any KeyValueStore
    /// Whether nothing lies over the store, so that what it holds is what is read.
    @usableFromInline let isPlain: Bool
    /// What is read: the layers, then the store.
    let layered: LayeredStore
    /// What bridges are handed.
    let facade: SendableUserDefaults
    let marks: KeyMarks
    let written: WrittenKeys
    let declarations = KeyDeclarations()
    let decoded = DecodedValues()
    let claimPlace: KeyClaims.Place

    init(_ facade: StoreUserDefaults, layers: [DefaultsLayer] = []) {
        store = facade.store
        isPlain = layers.isEmpty
        layered = LayeredStore(base: facade.store, layers: layers)
        self.facade = SendableUserDefaults(layers.isEmpty ? facade : StoreUserDefaults(layered))
        marks = KeyMarks()
        written = WrittenKeys(store, marks)
        claimPlace = KeyClaims.Place(store)
    }

    /// The facade, which answers for registered values too.
    var userDefaults: StoreUserDefaults { facade.userDefaults.facade }

    /// What is read under a key: from a layer, the store, or what is registered.
    func value(_ key: StoreKey) throws -> StoredValue? {
        try layered.get(key) ?? userDefaults.registeredValue(forKey: key.text)
    }

    /// Changes keys while no other thread does; observers are notified when other threads may go on.
    ///
    /// - Parameters:
    ///   - keys: What is changed.
    ///   - isWithCaller: Whether `body` runs the caller's code, which may take any time.
    ///   - body: Changes the keys.
    /// - Returns: What `body` returned.
    /// - Throws: ``DefaultsError`` with code `nestedWrite` before `body` begins, and what `body` throws.
    func exclusively<Result>(
        _ keys: [StoreKey],
        isWithCaller: Bool = false,
        _ body: () throws -> Result
    ) throws -> Result {
        try RunningTransaction.refuse(keys, in: claimPlace)
        let claim = claim(keys, isWithCaller: isWithCaller)
        return try DeferredDeliveries.holdingBack {
            KeyClaims.shared.end(claim)
        } _: {
            let before = DefaultsObservation.beginEchoes(keys, in: store)
            defer { DefaultsObservation.endEchoes(before, in: store) }
            return try body()
        }
    }

    /// Waits until no other thread changes the keys, or has done so for too long; see ``KeyClaims``.
    func claim(_ keys: [StoreKey], isWithCaller: Bool) -> KeyClaims.Claim {
        KeyClaims.shared.claim(keys, in: claimPlace, isWithCaller: isWithCaller)
    }
}
