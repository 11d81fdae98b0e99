#if Encryption
package import LarderCore

extension EncryptedStore: WrappingStore, PagingStore {
    /// The base store.
    package var wrappedStore: any KeyValueStore { base }

    package func page(_ request: EntryPageRequest) throws -> EntryPage {
        // Hidden names are in another order than the keys.
        if options.hidesNames { return EntryPage(of: try entries(prefix: request.prefix), request) }
        var baseRequest = request
        baseRequest.prefix = EntryName.ofPrefix(request.prefix)
        baseRequest.after = request.after.map { EntryName.ofPrefix($0) }
        // The base has only the encrypted values.
        baseRequest.search = nil
        var page = EntryPage(total: nil)
        while true {
            let basePage = try base.entryPage(baseRequest)
            page.total = page.total ?? basePage.total
            for stored in basePage.entries {
                if let key = EntryName.key(stored.key), let entry = try opened(stored, key) {
                    page.entries.append(entry)
                }
            }
            guard let next = basePage.next else { break }
            baseRequest.after = next
            baseRequest.limit = request.limit - page.entries.count
            guard baseRequest.limit > 0 else {
                page.next = page.entries.last?.key
                break
            }
        }
        if let total = page.total, request.prefix.isEmpty { page.total = try total - reservedCount() }
        return page
    }

    /// Returns a decrypted entry, or `nil` if it has been removed meanwhile.
    private func opened(_ stored: PagedEntry, _ key: String) throws -> PagedEntry? {
        guard case .success(let value) = stored.value else { return PagedEntry(key: key, value: stored.value) }
        if let contents = try open(value, at: stored.key, ring: ring) {
            return PagedEntry(key: key, value: .success(contents.value), expiry: stored.expiry)
        }
        do {
            return try entry(at: StoreKey(stored.key)) { key }.map {
                PagedEntry(key: key, value: .success($0.contents.value), expiry: stored.expiry)
            }
        } catch let error as StoreError where error.code == .damaged {
            return PagedEntry(key: key, value: .failure(error), expiry: stored.expiry)
        }
    }

    /// Returns the number of entries in the base that belong to reserved keys.
    private func reservedCount() throws -> Int {
        try base.entryPage(EntryPageRequest(prefix: EntryName.reservedPrefix, limit: 0)).total ?? 0
    }
}
#endif
