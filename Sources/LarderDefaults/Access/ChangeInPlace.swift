import LarderCore

/// A change of a key's value in place, between its first moment and its last.
struct ChangeInPlace<Value: DefaultsSerializable> {
    /// What becomes the value at the end.
    var value: Value.T
    fileprivate let key: DefaultsKey<Value>
    fileprivate let claim: KeyClaims.Claim
    /// What was stored at the beginning, for a value that is stored as it is: such a value can be written without a claim.
    fileprivate let beginning: StoredValue??
}

extension DefaultsPlace {
    /// Claims a key and reads its value.
    func beginChange<Value>(of key: DefaultsKey<Value>) -> ChangeInPlace<Value> {
        let claim = claim([StoreKey(key._key)])
        guard key.rules == nil, Value._isPlain else {
            return ChangeInPlace(value: value(of: key), key: key, claim: claim, beginning: nil)
        }
        do {
            while true {
                let stored = try store.get(StoreKey(key._key))
                let value = value(of: key)
                // A write that began before the claim may have come between the two.
                guard try store.get(StoreKey(key._key)) == stored else { continue }
                return ChangeInPlace(value: value, key: key, claim: claim, beginning: .some(stored))
            }
        } catch {
            // Which `value(of:)` reports.
            return ChangeInPlace(value: value(of: key), key: key, claim: claim, beginning: nil)
        }
    }

    /// Writes back a changed value and lets other threads go on; observers are told after that.
    func end<Value>(_ change: ChangeInPlace<Value>, of keyStore: KeyStoreIdentity) {
        DeferredDeliveries.holdingBack {
            KeyClaims.shared.end(change.claim)
        } _: {
            let before = DefaultsObservation.beginEchoes([StoreKey(change.key._key)], in: store)
            defer { DefaultsObservation.endEchoes(before, in: store) }
            if !endUndisturbed(change, of: keyStore) { setClaimed(change.value, for: change.key, of: keyStore) }
        }
    }

    /// Writes back a changed value unless another was written without a claim, which then counts as the later one.
    ///
    /// - Returns: `false` when that is no question, and nothing was done.
    private func endUndisturbed<Value>(
        _ change: ChangeInPlace<Value>,
        of keyStore: KeyStoreIdentity
    ) -> Bool {
        guard let beginning = change.beginning, let stored = Value._plainStored(change.value),
            KeyClaims.shared.isUndisturbed(change.claim), !UndecodableValues.isNoted(StoreKey(change.key._key))
        else { return false }
        declarations.note(change.key, in: store, isRead: false)
        written.insert(change.key._key, of: keyStore)
        do {
            var new: StoredValue? = stored
            if case .null = stored { new = nil }
            if new != beginning {
                _ = try store.compareAndSet(StoreKey(change.key._key), expecting: beginning, to: new)
            }
        } catch {
            store.issues.report(.unwritable(change.key._key, Value.T.self, error))
        }
        return true
    }
}
