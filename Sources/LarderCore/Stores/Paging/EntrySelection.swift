/// A selection of the first entries after a cursor, in one pass over entries that are in no particular order.
///
/// Only the keys that may belong to the page become strings. The memory is proportional to the size of the page, except for a very large page,
/// which keeps every key until the end: sorting now and then would make the pass, and everything that waits for its lock, slow.
@usableFromInline
package struct EntrySelection<Payload> {
    @usableFromInline
    struct Candidate {
        @usableFromInline let head: UInt64
        @usableFromInline let key: String
        @usableFromInline let payload: Payload

        @inlinable
        init(head: UInt64, key: String, payload: Payload) {
            self.head = head
            self.key = key
            self.payload = payload
        }

        @inlinable
        func precedes(_ other: Candidate, isAscending: Bool) -> Bool {
            if head != other.head { return (head < other.head) == isAscending }
            return isAscending ? key.precedesByBytes(other.key) : other.key.precedesByBytes(key)
        }
    }

    @usableFromInline var window: KeyWindow
    @usableFromInline let limit: Int
    @usableFromInline let isAscending: Bool
    /// The number of candidates that are sorted to forget those beyond the page, or `Int.max` for a very large page.
    @usableFromInline let mostCandidates: Int
    @usableFromInline var candidates: [Candidate] = []
    /// Whether entries beyond the page were left out.
    @usableFromInline var isTruncated = false

    /// Creates an empty selection for a page.
    package init(_ request: EntryPageRequest) {
        window = KeyWindow(prefix: request.prefix, after: request.after, isAscending: request.isAscending)
        limit = max(0, request.limit)
        isAscending = request.isAscending
        // Sorting twice the number of entries costs the same for each entry, however large the store is.
        mostCandidates = limit > 1 << 14 ? .max : 2 * limit + 64
    }

    /// Returns whether `key` begins with the prefix of the page.
    @inlinable
    package func hasPrefix(_ key: UnsafeRawBufferPointer) -> Bool { window.hasPrefix(key) }

    /// Returns whether the page can still take `key`, which must begin with the prefix of the page.
    @inlinable
    package func admits(_ key: UnsafeRawBufferPointer) -> Bool { limit > 0 && window.admits(key) }

    /// Adds an entry whose key the page admits.
    @inlinable
    package mutating func take(_ key: UnsafeRawBufferPointer, _ payload: Payload) {
        let text = String(decoding: key, as: UTF8.self)
        candidates.append(Candidate(head: key.keyHead, key: text, payload: payload))
        if candidates.count >= mostCandidates { trim() }
    }

    @inlinable
    mutating func trim() {
        let isAscending = isAscending
        candidates.sort { $0.precedes($1, isAscending: isAscending) }
        guard candidates.count > limit else { return }
        candidates.removeSubrange(limit...)
        isTruncated = true
        if let last = candidates.last { window.end(at: last.key) }
    }

    /// Returns the entries of the page in order, and whether they are the last ones.
    ///
    /// Callers release their locks before, because this sorts the entries.
    @inlinable
    package consuming func finish() -> (entries: [(key: String, payload: Payload)], isLast: Bool) {
        trim()
        return (candidates.map { ($0.key, $0.payload) }, !isTruncated)
    }
}
