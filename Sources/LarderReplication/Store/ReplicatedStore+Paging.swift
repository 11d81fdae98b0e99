package import LarderCore

extension ReplicatedStore: WrappingStore, PagingStore {
    /// The store that holds the replica.
    package var wrappedStore: any KeyValueStore { base }

    package func page(_ request: EntryPageRequest) throws -> EntryPage {
        guard try replica.earliestExpiry() != nil else { return try base.entryPage(request) }
        let now = expiries.now
        var page = try request.page(of: base, request) { entry in
            let expiry = try replica.expiry(of: StoreKey(entry.key))
            if let expiry, expiry <= now { return nil }
            var entry = entry
            entry.expiry = expiry.map { Double($0.milliseconds) / 1_000 }
            return entry
        }
        // The replica does not know how many of its entries have expired.
        page.total = nil
        return page
    }
}

extension ReplicatedStore: VerifyingStore {
    package func runVerification(telling progress: (StoreProgress) throws -> Void) throws -> StoreVerification {
        var verification = try base.verification { try progress($0.asPart(0, of: 2)) }
        do {
            verification.problems += try replica.consistently { try replica.problems() }
        } catch let error as StoreError where error.code == .damaged || error.code == .newerFormat {
            verification.problems.append(.init(error.message, key: error.key))
        }
        try progress(StoreProgress(completed: 1, total: 1).asPart(1, of: 2))
        return verification
    }
}
