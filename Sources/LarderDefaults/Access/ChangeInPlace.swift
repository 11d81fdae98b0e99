import LarderCore

/// A change of a key's value in place, between its first moment and its last.
struct ChangeInPlace<Value: DefaultsSerializable> {
    /// What becomes the value at the end.
    var value: Value.T
    fileprivate let key: DefaultsKey<Value>
    fileprivate let claim: KeyClaims.Claim
    fileprivate let beginning: Result<Beginning, any Error>
}

/// What was stored when a change in place began: it is written only if that is still there at its end.
private struct Beginning {
    /// Under the name of the key.
    var stored: StoredValue?
    /// Under the other names that belong to the key; none for most keys.
    var others: [(key: StoreKey, stored: StoredValue?)] = []
}

extension DefaultsPlace {
    /// Claims a key and reads its value.
    func beginChange<Value>(of key: DefaultsKey<Value>) -> ChangeInPlace<Value> {
        let claim = claim([StoreKey(key._key)], isWithCaller: true)
        do {
            let (value, beginning) = try beginning(of: key)
            return ChangeInPlace(value: value, key: key, claim: claim, beginning: .success(beginning))
        } catch {
            // Which `value(of:)` reports, too.
            return ChangeInPlace(value: value(of: key), key: key, claim: claim, beginning: .failure(error))
        }
    }

    /// The value of a key and what is stored for it, both of one moment.
    private func beginning<Value>(of key: DefaultsKey<Value>) throws -> (Value.T, Beginning) {
        let others = key.rules == nil ? [] : key.storeKeys.dropFirst()
        if others.isEmpty, isPlain, let stored = try store.get(StoreKey(key._key)),
            let value = Value._plainValue(stored)
        {
            declarations.note(key, in: store)
            return (value, Beginning(stored: stored))
        }
        func look() throws -> Beginning {
            Beginning(
                stored: try store.get(StoreKey(key._key)),
                others: try others.map { ($0, try store.get($0)) }
            )
        }
        var before = try look()
        var turns = 1
        while true {
            let value = value(of: key)
            let after = try look()
            // Where others never cease to write, the change ends as one that was overtaken.
            if turns == Self.maximumTurns || before == after { return (value, before) }
            before = after
            turns += 1
        }
    }

    private static var maximumTurns: Int { 100 }

    /// Writes back a changed value, unless another was written since the change began: then that one stays and the loss is reported.
    ///
    /// Observers are notified, and the loss is reported, when other threads may go on.
    func end<Value>(_ change: ChangeInPlace<Value>, of keyStore: KeyStoreIdentity) {
        let issue = DeferredDeliveries.holdingBack {
            KeyClaims.shared.end(change.claim)
        } _: { () -> LarderIssue? in
            KeyClaims.shared.note(change.claim, isWithCaller: false)
            let before = DefaultsObservation.beginEchoes([StoreKey(change.key._key)], in: store)
            defer { DefaultsObservation.endEchoes(before, in: store) }
            do {
                return try write(change, of: keyStore) ? nil : .lostUpdate(change.key._key, change.value)
            } catch {
                return .unwritable(change.key._key, Value.T.self, error)
            }
        }
        if let issue { store.issues.report(issue) }
    }

    /// Writes back a changed value unless another is there than at its beginning.
    ///
    /// - Returns: `false` if it was not written for that reason.
    /// - Throws: Why it could not be written.
    private func write<Value>(_ change: ChangeInPlace<Value>, of keyStore: KeyStoreIdentity) throws -> Bool {
        let (key, name) = (change.key, StoreKey(change.key._key))
        // What could not be read is not written over.
        let beginning = try change.beginning.get()
        try RunningTransaction.refuse([name], in: claimPlace)
        declarations.note(key, in: store, isRead: false)
        if key.rules == nil, !UndecodableValues.isNoted(name), Value._isPlain || !Value.bridge.isHandWritten {
            let plain = Value._plainStored(change.value)
            let new = try plain.map { $0 == .null ? nil : $0 } ?? StoredForm(key).stored(change.value)
            guard new != beginning.stored else { return true }
            written.insert(key._key, of: keyStore)
            return try store.compareAndSet(name, expecting: beginning.stored, to: new)
        }
        written.insert(key._key, of: keyStore)
        return try store.transaction { transaction in
            var isUndisturbed = try transaction.get(name) == beginning.stored
            for other in beginning.others where isUndisturbed {
                isUndisturbed = try transaction.get(other.key) == other.stored
            }
            guard isUndisturbed else { return StoredForm(key).isStored(change.value, as: beginning.stored) }
            try keepUndecodable(key, in: &transaction)
            try StoredForm(key).write(change.value, in: &transaction)
            return true
        }
    }
}

extension Beginning: Equatable {
    static func == (left: Beginning, right: Beginning) -> Bool {
        left.stored == right.stored && left.others.elementsEqual(right.others) { $0.stored == $1.stored }
    }
}
