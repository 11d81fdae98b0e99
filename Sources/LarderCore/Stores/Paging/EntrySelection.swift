/// A selection of the first entries after a cursor, in one pass over entries that are in no particular order.
///
/// Only the keys that may belong to the page become strings. The memory is proportional to the size of the page.
package struct EntrySelection<Payload> {
    private struct Candidate {
        let head: UInt64
        let key: String
        let payload: Payload
    }

    private var window: KeyWindow
    private let limit: Int
    private let isAscending: Bool
    private var candidates: [Candidate] = []
    /// Whether entries beyond the page were left out.
    private var isTruncated = false

    /// Creates an empty selection for a page.
    package init(_ request: EntryPageRequest) {
        window = KeyWindow(prefix: request.prefix, after: request.after, isAscending: request.isAscending)
        limit = max(0, request.limit)
        isAscending = request.isAscending
    }

    /// Returns whether `key` begins with the prefix of the page.
    package func hasPrefix(_ key: UnsafeRawBufferPointer) -> Bool { window.hasPrefix(key) }

    /// Returns whether the page can still take `key`, which must begin with the prefix of the page.
    package func admits(_ key: UnsafeRawBufferPointer) -> Bool { limit > 0 && window.admits(key) }

    /// Adds an entry whose key the page admits.
    package mutating func take(_ key: UnsafeRawBufferPointer, _ payload: Payload) {
        let text = String(decoding: key, as: UTF8.self)
        candidates.append(Candidate(head: key.keyHead, key: text, payload: payload))
        // Sorting twice the number of entries costs the same for each entry, however large the store is.
        if candidates.count - 64 >= limit, candidates.count - 64 - limit >= limit { trim() }
    }

    private mutating func trim() {
        let isAscending = isAscending
        candidates.sort { left, right in
            if left.head != right.head { return (left.head < right.head) == isAscending }
            return isAscending ? left.key.precedesByBytes(right.key) : right.key.precedesByBytes(left.key)
        }
        guard candidates.count > limit else { return }
        candidates.removeSubrange(limit...)
        isTruncated = true
        if let last = candidates.last { window.end(at: last.key) }
    }

    /// Returns the entries of the page in order, and whether they are the last ones.
    package consuming func finish() -> (entries: [(key: String, payload: Payload)], isLast: Bool) {
        trim()
        return (candidates.map { ($0.key, $0.payload) }, !isTruncated)
    }
}
