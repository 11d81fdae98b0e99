#if Encryption
package import LarderCore

extension EncryptedStore: WrappingStore, PagingStore {
    /// The base store.
    package var wrappedStore: any KeyValueStore { base }

    package func page(_ request: EntryPageRequest) throws -> EntryPage {
        if options.hidesNames { return try pageWithHiddenNames(request) }
        var baseRequest = request
        baseRequest.prefix = EntryName.ofPrefix(request.prefix)
        baseRequest.after = request.after.map { EntryName.ofPrefix($0) }
        // The base has only the encrypted values, which can be neither searched nor cut.
        baseRequest.search = nil
        baseRequest.longestValue = nil
        var page = try request.page(of: base, baseRequest) { stored in
            try EntryName.key(stored.key).flatMap { try opened(stored, $0) }
        }
        if let total = page.total, request.prefix.isEmpty { page.total = try total - reservedCount() }
        return page
    }

    /// Returns a page of entries whose names are in another order than their keys.
    ///
    /// Each page decrypts every entry, but keeps only the names of those that it may contain.
    private func pageWithHiddenNames(_ request: EntryPageRequest) throws -> EntryPage {
        var selection = EntrySelection<(name: String, expiry: Double?)>(request)
        var total = 0
        var part = EntryPageRequest(limit: 1 << 16, bytes: EntryPageRequest.bytesInPart)
        while true {
            let basePage = try base.entryPage(part)
            for stored in basePage.entries {
                guard let contents = try contents(of: stored), var key = EntryName.key(contents.name) else { continue }
                key.withUTF8 { key in
                    let key = UnsafeRawBufferPointer(key)
                    guard selection.hasPrefix(key) else { return }
                    total += 1
                    guard selection.admits(key) else { return }
                    if let search = request.search, !search.matches(key), !search.matches(contents.value) { return }
                    selection.take(key, (stored.key, stored.expiry))
                }
            }
            guard let next = basePage.next else { break }
            part.after = next
        }
        let (entries, isLast) = selection.finish()
        var filling = EntryPageFilling(request)
        for (position, (key, place)) in entries.enumerated() {
            guard let stored = try base.get(StoreKey(place.name)),
                let entry = try opened(PagedEntry(key: place.name, value: .success(stored), expiry: place.expiry), key)
            else { continue }
            filling.add(entry)
            guard !filling.isFull else {
                return filling.page(isLast: isLast && position == entries.count - 1, total: total)
            }
        }
        var page = filling.page(isLast: isLast, total: total)
        // Even if all of these entries have been removed meanwhile.
        if !isLast { page.next = entries.last?.key }
        return page
    }

    /// Returns the content of an entry of the base, or `nil` if it has been removed meanwhile.
    private func contents(of stored: PagedEntry) throws -> SealedEntry.Contents? {
        if let contents = try open(stored.value.get(), at: stored.key, ring: ring) { return contents }
        return try entry(at: StoreKey(stored.key)) { stored.key }?.contents
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
