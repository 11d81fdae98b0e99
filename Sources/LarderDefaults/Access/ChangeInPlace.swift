public import LarderCore

/// The state of an in-place change, such as `Defaults.launchCount += 1`, between reading and writing the value.
@usableFromInline
struct ChangeInPlace {
    fileprivate let name: StoreKey
    fileprivate let claim: KeyClaims.Claim
    /// The values that were stored when the change began.
    ///
    /// If these values have changed when the in-place change ends, nothing is written.
    fileprivate var beginning: Beginning
    /// The error that occurred while reading the value, or `nil` if the value was read.
    ///
    /// After such an error, the change writes nothing.
    fileprivate var failure: (any Error)?
}

/// The values that were stored for a key when an in-place change began.
private struct Beginning {
    /// The value stored under the key's name.
    var stored: StoredValue?
    /// The values stored under the key's former names and version key.
    var others: [(key: StoreKey, stored: StoredValue?)] = []
}

// The inlined functions are the fast path for plain types. All other types take the general path.
extension DefaultsPlace {
    // MARK: - The read

    /// Begins an in-place change: acquires the lock of the key and reads its value.
    @inlinable
    func beginChange<Value>(of key: DefaultsKey<Value>) -> (value: Value.T, change: ChangeInPlace) {
        var (change, stored) = beginChange(ofName: key._key)
        if key.rules == nil, let stored, let value = Value._plainValue(stored) {
            if Self.notesDeclarations { noteRead(of: key) }
            return (value, change)
        }
        return (value(of: key, at: &change), change)
    }

    /// Begins an in-place change: acquires the lock of the key and reads its stored value.
    ///
    /// - Returns: The change, and the stored value. The value is `nil` if nothing is stored, if the adapter has layers, or if the store
    ///   can't be read.
    @usableFromInline
    func beginChange(ofName name: String) -> (ChangeInPlace, stored: StoredValue?) {
        let name = StoreKey(name).rememberingHash()
        let claim = claims.claim(name, isWithCaller: true)
        // If the read fails, the general path reads again and reports the error.
        let stored = isPlain ? try? store.get(name) : nil
        return (ChangeInPlace(name: name, claim: claim, beginning: Beginning(stored: stored)), stored)
    }

    /// Returns a key's value, and records in `change` the stored values that were read.
    @usableFromInline
    func value<Value>(of key: DefaultsKey<Value>, at change: inout ChangeInPlace) -> Value.T {
        let name = change.name
        let others = key.rules == nil ? [] : key.storeKeys.dropFirst()
        func look() throws -> Beginning {
            Beginning(stored: try store.get(name), others: try others.map { ($0, try store.get($0)) })
        }
        do {
            change.beginning = try look()
            var reads = 1
            while true {
                let value = value(of: key)
                let after = try look()
                // If other writers never pause, the change ends as a lost update.
                if reads == Self.maximumReads || change.beginning == after { return value }
                change.beginning = after
                reads += 1
            }
        } catch {
            change.failure = error
            // Reads again, which reports the error as an issue.
            return value(of: key)
        }
    }

    private static var maximumReads: Int { 100 }

    // MARK: - The write

    /// Ends an in-place change by writing the value, unless the key has been written since the change began.
    ///
    /// If the key has been written, the stored value is kept and an issue is reported. Observers are notified after the lock of the key is
    /// released.
    @inlinable
    func end<Value>(
        _ change: ChangeInPlace,
        with value: Value.T,
        of key: DefaultsKey<Value>,
        _ keyStore: KeyStoreIdentity
    ) {
        if key.rules == nil, let new = Value._plainStored(value) {
            if Self.notesDeclarations { noteWrite(of: key) }
            if end(change, by: new, of: keyStore) { return }
        }
        endOtherwise(change, with: value, of: key, keyStore)
    }

    /// Ends an in-place change with a single conditional put, if possible.
    ///
    /// - Returns: `true` if the change has ended and the lock of the key is released, or `false` if the caller must call `endOtherwise`.
    @usableFromInline
    func end(_ change: ChangeInPlace, by new: StoredValue, of keyStore: KeyStoreIdentity) -> Bool {
        guard let conditional, let old = change.beginning.stored, isPlainWrite(of: change.name, keyStore) else {
            return false
        }
        if new != old {
            change.claim.note(isWithCaller: false)
            // If the condition does not hold or the put fails, the general path retries and reports the cause.
            let isWritten = try? conditional.set(
                new,
                for: change.name,
                if: .value(old, at: change.name),
                isFresh: false
            )
            guard isWritten == true else { return false }
        }
        change.claim.end()
        return true
    }

    @usableFromInline
    func endOtherwise<Value>(
        _ change: ChangeInPlace,
        with value: Value.T,
        of key: DefaultsKey<Value>,
        _ keyStore: KeyStoreIdentity
    ) {
        let issue = DeferredDeliveries.holdingBack {
            change.claim.end()
        } _: { () -> LarderIssue? in
            change.claim.note(isWithCaller: false)
            let before = DefaultsObservation.beginEchoes([change.name], in: store)
            defer { DefaultsObservation.endEchoes(before, in: store) }
            do {
                return try write(value, for: key, after: change, keyStore) ? nil : .lostUpdate(key._key, value)
            } catch {
                return .unwritable(key._key, Value.T.self, error)
            }
        }
        if let issue { store.issues.report(issue) }
    }

    /// Writes a changed value, unless the stored values have changed since the in-place change began.
    ///
    /// - Returns: `true` if `value` is now stored, or `false` if the stored values have changed and nothing was written.
    /// - Throws: An error if the value could not be read or can't be written.
    private func write<Value>(
        _ value: Value.T,
        for key: DefaultsKey<Value>,
        after change: ChangeInPlace,
        _ keyStore: KeyStoreIdentity
    ) throws -> Bool {
        let (name, beginning) = (change.name, change.beginning)
        // A value that could not be read is not overwritten.
        if let failure = change.failure { throw failure }
        try RunningTransaction.refuse([name], in: claimPlace)
        declarations.note(key, in: store, isRead: false)
        if key.rules == nil, !UndecodableValues.isNoted(name), Value._isPlain || !Value.bridge.isHandWritten {
            let plain = Value._plainStored(value)
            let new = try plain.map { $0 == .null ? nil : $0 } ?? StoredForm(key).stored(value)
            guard new != beginning.stored else { return true }
            written.insert(name, of: keyStore)
            return try store.compareAndSet(name, expecting: beginning.stored, to: new)
        }
        written.insert(name, of: keyStore)
        return try store.transaction { transaction in
            var isUndisturbed = try transaction.get(name) == beginning.stored
            for other in beginning.others where isUndisturbed {
                isUndisturbed = try transaction.get(other.key) == other.stored
            }
            guard isUndisturbed else { return StoredForm(key).isStored(value, as: beginning.stored) }
            try keepUndecodable(key, in: &transaction)
            try StoredForm(key).write(value, in: &transaction)
            return true
        }
    }
}

extension Beginning: Equatable {
    static func == (left: Beginning, right: Beginning) -> Bool {
        left.stored == right.stored && left.others.elementsEqual(right.others) { $0.stored == $1.stored }
    }
}
