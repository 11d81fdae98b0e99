import LarderCore
import LarderDeviceStorage

/// An atomic transaction over several keys, passed to the closure of ``DefaultsAdapter/transaction(_:)``.
@dynamicMemberLookup
public struct DefaultsTransaction<KeyStore: DefaultsKeyStore> {
    private let keyStore: KeyStore
    private let place: DefaultsPlace
    private(set) var transaction: StoreTransaction
    /// The first error that occurred in a subscript, which can't throw the error itself.
    private var failure: (any Error)?
    /// The keys that this transaction has written.
    private(set) var written: [StoreKey] = []
    /// The issues about lossy conversions to report when the transaction ends, by key.
    private(set) var losses: [StoreKey: LarderIssue] = [:]
    private let running: RunningTransaction

    init(_ transaction: StoreTransaction, keyStore: KeyStore, place: DefaultsPlace, running: RunningTransaction) {
        self.transaction = transaction
        self.keyStore = keyStore
        self.place = place
        self.running = running
    }

    /// The value of a key, or the key's default if nothing is stored.
    ///
    /// Reads see the writes made by this transaction and ignore layers. If the value can't be read or written, the transaction throws an
    /// error when it ends, and nothing is written.
    public subscript<Value: DefaultsSerializable>(key key: DefaultsKey<Value>) -> Value.T {
        mutating get {
            running.note(key.storeKeys)
            do {
                guard let found = try StoredForm(key).read({ try value($0) }) else { return key.defaultValue }
                if let loss = found.loss { losses[StoreKey(key._key)] = loss }
                return found.value
            } catch {
                failure = failure ?? error
                return key.defaultValue
            }
        }
        set {
            running.note(key.storeKeys)
            do {
                try place.keepUndecodable(key, in: &transaction)
                try StoredForm(key).write(newValue, in: &transaction)
                written.append(StoreKey(key._key))
            } catch {
                failure = failure ?? error
            }
        }
    }

    private mutating func value(_ key: StoreKey) throws -> StoredValue? {
        try transaction.get(key) ?? place.userDefaults.registeredValue(forKey: key.text)
    }

    /// The value of the key at a key path, including writes made by this transaction, or the key's default if nothing is stored.
    public subscript<Value: DefaultsSerializable>(keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) -> Value.T {
        mutating get { self[key: keyStore[keyPath: keyPath]] }
        set { self[key: keyStore[keyPath: keyPath]] = newValue }
    }

    /// The value of the key at a key path, including writes made by this transaction, or the key's default if nothing is stored.
    public subscript<Value: DefaultsSerializable>(
        dynamicMember keyPath: KeyPath<KeyStore, DefaultsKey<Value>>
    ) -> Value.T {
        mutating get { self[keyPath] }
        set { self[keyPath] = newValue }
    }

    /// Removes the stored value of the key at a key path, so that reads return the key's default.
    ///
    /// - Parameter keyPath: The path from the key store to the key.
    public mutating func remove<Value>(_ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) {
        remove(keyStore[keyPath: keyPath])
    }

    /// Removes the stored value of a key, so that reads return the key's default.
    ///
    /// - Parameter key: The key whose value to remove.
    public mutating func remove<Value>(_ key: DefaultsKey<Value>) {
        running.note(key.storeKeys)
        do {
            for storeKey in key.storeKeys { try transaction.remove(storeKey) }
            written.append(StoreKey(key._key))
        } catch {
            failure = failure ?? error
        }
    }

    /// Throws the first error that occurred in a subscript or a removal of this transaction.
    ///
    /// Has no effect if no error occurred.
    ///
    /// - Throws: The first error that occurred.
    public func check() throws {
        if let failure { throw failure }
    }
}

extension DefaultsAdapter {
    /// Reads and writes several keys atomically, so that either all writes are committed or none are.
    ///
    /// Observers are notified once, after the commit.
    ///
    /// ```swift
    /// try Defaults.transaction { settings in
    ///     settings.credits -= 10
    ///     settings.purchases.append("hat")
    /// }
    /// ```
    ///
    /// The transaction is atomic among threads, and also among processes if the store's own transactions are. No lock is held while `body`
    /// runs. After a conflict with another writer **`body` runs again**, so it should have no other side effects.
    ///
    /// To write a key that the transaction reads or writes, `body` must use its argument. Writing such a key through an adapter fails,
    /// because the write would conflict with the transaction on every run. Other keys may be written through an adapter.
    ///
    /// - Parameter body: A closure that reads and writes keys through its argument. If `body` throws, nothing is written.
    /// - Returns: The result of the last run of `body`.
    /// - Throws: An error thrown by `body`, ``DefaultsError`` if a value can't be read or written or a nested write was rejected (code
    ///   `nestedWrite`), or the store's error. Nothing is written in these cases.
    @discardableResult
    public func transaction<Result>(
        _ body: (inout DefaultsTransaction<KeyStore>) throws -> Result
    ) throws -> Result {
        let place = place
        var claims: [KeyClaims.Claim] = []
        var before: [DefaultsObservation.Echo] = []
        var losses: [StoreKey: LarderIssue] = [:]
        // The issues are reported after the claims are released.
        defer { for loss in losses.values { place.store.issues.report(loss) } }
        return try DeferredDeliveries.holdingBack {
            DefaultsObservation.endEchoes(before, in: place.store)
            for claim in claims { claim.end() }
        } _: {
            try place.store.transaction { transaction in
                // The claims acquired by earlier runs are kept, so that no other thread conflicts with this run.
                for claim in claims { claim.note(isWithCaller: true) }
                let (result, written) = try RunningTransaction.run(in: place.claimPlace) { running in
                    var typed = DefaultsTransaction(transaction, keyStore: keyStore, place: place, running: running)
                    // Copies the state back even if `body` throws, so that the store detects a conflict and runs `body` again.
                    defer { (transaction, losses) = (typed.transaction, typed.losses) }
                    let result = try body(&typed)
                    try typed.check()
                    return (result, typed.written)
                }
                try RunningTransaction.refuse(written, in: place.claimPlace)
                for key in written { place.written.insert(key, of: identity) }
                // No in-place change can begin from here until the commit. A change that ended in the meantime causes a conflict.
                for claim in claims { claim.note(isWithCaller: false) }
                claims += place.claims.claim(written, isWithCaller: false)
                before = DefaultsObservation.beginEchoes(written, in: place.store)
                return result
            }
        }
    }
}
