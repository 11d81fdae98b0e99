import LarderCore
import LarderDeviceStorage

/// Several keys read and written at once; see ``DefaultsAdapter/transaction(_:)``.
@dynamicMemberLookup
public struct DefaultsTransaction<KeyStore: DefaultsKeyStore> {
    private let keyStore: KeyStore
    private let place: DefaultsPlace
    private(set) var transaction: StoreTransaction
    /// The first thing that went wrong in a subscript, which can't throw it.
    private var failure: (any Error)?
    /// The keys that were written, to be claimed for the commit.
    private(set) var written: [StoreKey] = []
    /// What reading lost, by key, to be reported at the end.
    private(set) var losses: [StoreKey: LarderIssue] = [:]
    private let running: RunningTransaction

    init(_ transaction: StoreTransaction, keyStore: KeyStore, place: DefaultsPlace, running: RunningTransaction) {
        self.transaction = transaction
        self.keyStore = keyStore
        self.place = place
        self.running = running
    }

    /// The value of a key, this transaction's own writes included, or its default.
    ///
    /// When it can't be read or written, the whole transaction throws at its end and nothing is changed. Layers take no part.
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

    /// The value of a key of the key store, this transaction's own writes included, or its default.
    public subscript<Value: DefaultsSerializable>(keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) -> Value.T {
        mutating get { self[key: keyStore[keyPath: keyPath]] }
        set { self[key: keyStore[keyPath: keyPath]] = newValue }
    }

    /// The value of a key of the key store, this transaction's own writes included, or its default.
    public subscript<Value: DefaultsSerializable>(
        dynamicMember keyPath: KeyPath<KeyStore, DefaultsKey<Value>>
    ) -> Value.T {
        mutating get { self[keyPath] }
        set { self[keyPath] = newValue }
    }

    /// Removes the value of a key, which then reads as its default.
    ///
    /// - Parameter keyPath: The key.
    public mutating func remove<Value>(_ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) {
        remove(keyStore[keyPath: keyPath])
    }

    /// Removes the value of a key, which then reads as its default.
    ///
    /// - Parameter key: The key.
    public mutating func remove<Value>(_ key: DefaultsKey<Value>) {
        running.note(key.storeKeys)
        do {
            for storeKey in key.storeKeys { try transaction.remove(storeKey) }
            written.append(StoreKey(key._key))
        } catch {
            failure = failure ?? error
        }
    }

    /// Throws what went wrong in a subscript so far.
    ///
    /// - Throws: The first failure.
    public func check() throws {
        if let failure { throw failure }
    }
}

extension DefaultsAdapter {
    /// Reads and writes several keys at once: all of it is seen and kept, or none.
    ///
    /// Observers see one change.
    ///
    /// ```swift
    /// try Defaults.transaction { settings in
    ///     settings.credits -= 10
    ///     settings.purchases.append("hat")
    /// }
    /// ```
    ///
    /// Atomic among threads, and among processes where the store is. No lock is held while `body` runs: when another writer
    /// changed what it read, **it runs again**, so it should have no other effects.
    ///
    /// `body` writes the keys that it uses through its argument. Writing one of them through an adapter is refused: that write would make
    /// `body` run again without end. Other keys may be written.
    ///
    /// - Parameter body: Reads and writes. Throwing abandons the transaction.
    /// - Returns: What `body` returned in its last run.
    /// - Throws: What `body` threw; ``DefaultsError`` for a value that can't be read or written, and with code `nestedWrite` for a write
    ///   that was refused; the store's error. Then nothing was changed.
    @discardableResult
    public func transaction<Result>(
        _ body: (inout DefaultsTransaction<KeyStore>) throws -> Result
    ) throws -> Result {
        let place = place
        var claims: [KeyClaims.Claim] = []
        var before: [DefaultsObservation.Echo] = []
        var losses: [StoreKey: LarderIssue] = [:]
        // Reported when other threads may go on.
        defer { for loss in losses.values { place.store.issues.report(loss) } }
        return try DeferredDeliveries.holdingBack {
            DefaultsObservation.endEchoes(before, in: place.store)
            for claim in claims { KeyClaims.shared.end(claim) }
        } _: {
            try place.store.transaction { transaction in
                // What an earlier run has claimed stays claimed, so that this run has no rivals among threads.
                for claim in claims { KeyClaims.shared.note(claim, isWithCaller: true) }
                let (result, written) = try RunningTransaction.run(in: place.claimPlace) { running in
                    var typed = DefaultsTransaction(transaction, keyStore: keyStore, place: place, running: running)
                    // Also when it throws, or the store would not see that it must run again.
                    defer { (transaction, losses) = (typed.transaction, typed.losses) }
                    let result = try body(&typed)
                    try typed.check()
                    return (result, typed.written)
                }
                try RunningTransaction.refuse(written, in: place.claimPlace)
                for key in written { place.written.insert(key.text, of: KeyStoreIdentity(KeyStore.self)) }
                // From here to the commit no change in place may begin; one that has ended meanwhile makes this run again.
                for claim in claims { KeyClaims.shared.note(claim, isWithCaller: false) }
                claims.append(place.claim(written, isWithCaller: false))
                before = DefaultsObservation.beginEchoes(written, in: place.store)
                return result
            }
        }
    }
}
