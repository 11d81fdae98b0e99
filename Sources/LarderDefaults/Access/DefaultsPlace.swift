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
    private let claimPlace: KeyClaims.Place

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

    /// Changes keys while no other thread does; observers are told when other threads may go on.
    func exclusively<Result>(_ keys: [StoreKey], _ body: () throws -> Result) rethrows -> Result {
        let claim = claim(keys)
        return try DeferredDeliveries.holdingBack {
            KeyClaims.shared.end(claim)
        } _: {
            let before = DefaultsObservation.beginEchoes(keys, in: store)
            defer { DefaultsObservation.endEchoes(before, in: store) }
            return try body()
        }
    }

    /// Waits until nobody else changes the keys, and reports a wait that took too long.
    func claim(_ keys: [StoreKey]) -> KeyClaims.Claim {
        let claim = KeyClaims.shared.claim(keys, in: claimPlace)
        if claim.isLate {
            store.issues.report(
                LarderIssue(
                    .degraded,
                    "Another change of this key in place has taken longer than a second: one of the two may be lost. Don't suspend while changing a value in place.",
                    key: keys.first?.text
                )
            )
        }
        return claim
    }
}
