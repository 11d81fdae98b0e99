package import LarderCore

extension ReplicatedStore: WrappingStore, PagingStore {
    /// The store that holds the replica.
    package var wrappedStore: any KeyValueStore { base }

    package func page(_ request: EntryPageRequest) throws -> EntryPage {
        guard try replica.earliestExpiry() != nil else { return try base.entryPage(request) }
        let now = expiries.now
        var request = request
        let limit = request.limit
        var page = EntryPage()
        while true {
            let basePage = try base.entryPage(request)
            for var entry in basePage.entries {
                let expiry = try replica.expiry(of: StoreKey(entry.key))
                if let expiry, expiry <= now { continue }
                entry.expiry = expiry.map { Double($0.milliseconds) / 1_000 }
                page.entries.append(entry)
            }
            // The replica does not know how many of its entries have expired.
            guard let next = basePage.next else { return page }
            guard request.search == nil, page.entries.count < limit else {
                page.next = next
                return page
            }
            request.after = next
            request.limit = limit - page.entries.count
        }
    }
}
