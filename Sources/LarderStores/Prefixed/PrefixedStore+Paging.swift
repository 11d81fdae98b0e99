package import LarderCore

extension PrefixedStore: WrappingStore, PagingStore {
    /// The base store.
    package var wrappedStore: any KeyValueStore { base }
    package var addedPrefix: String { prefix }

    package func page(_ request: EntryPageRequest) throws -> EntryPage {
        var baseRequest = request
        baseRequest.prefix = prefix + request.prefix
        // A text that the key of the view contains is also in the key of the base.
        baseRequest.after = request.after.map { prefix + $0 }
        var page = try base.entryPage(baseRequest)
        for index in page.entries.indices { page.entries[index].key = viewKey(page.entries[index].key) }
        page.next = page.next.map { viewKey($0) }
        return page
    }
}

extension PrefixedStore: VerifyingStore {
    package func runVerification(telling progress: (StoreProgress) throws -> Void) throws -> StoreVerification {
        try base.verification(telling: progress)
    }
}
