import LarderCore

/// The expired entries that a listing of the replica has found, and how many of them are removed in one commit.
struct Sweep {
    /// The keys that are removed next, from the last to the first.
    private var found: [String] = []
    /// The maximum number of entries that are removed in one commit.
    private var size = Self.most
    /// The monotonic time before which the replica is not listed again.
    private var nextListing = Duration.zero

    private static let most = 500

    /// Returns whether the replica may be listed, because no key is left and the last listing was long ago compared with its duration.
    ///
    /// Otherwise, a replica with very many entries would be listed all the time while some of them expire.
    func needsListing(at time: Duration) -> Bool { found.isEmpty && time >= nextListing }

    /// Notes the keys that a listing has found.
    mutating func noteListing(_ keys: [String], from start: Duration, to end: Duration) {
        found = keys.reversed()
        nextListing = end + (end - start) * 10
    }

    /// Takes keys out of those that were found, and returns those of them that still are expired.
    ///
    /// A commit that expects and removes each of them respects `limits`.
    mutating func next(within limits: StoreLimits, isExpired: (String) throws -> Bool) rethrows -> [String] {
        let most = max(1, min(size, limits.operations / 2))
        var keys: [String] = []
        var room = limits.bytes
        while keys.count < most, let key = found.last {
            let size = 2 * (key.utf8.count + StoreLimits.bytesOfEachOperation)
            guard size <= room || keys.isEmpty else { break }
            found.removeLast()
            guard try isExpired(key) else { continue }
            keys.append(key)
            room -= size
        }
        return keys
    }

    /// Removes more entries at once, because a commit was not refused.
    mutating func noteSuccess() { size = min(Self.most, size * 2) }

    /// Puts keys back whose removal was refused, and removes fewer at once.
    ///
    /// A single key is put behind the others, so that it does not stop them.
    mutating func noteRefusal(of keys: [String]) {
        size = max(1, keys.count / 2)
        if keys.count == 1 { found.insert(contentsOf: keys, at: 0) } else { found += keys.reversed() }
    }
}
