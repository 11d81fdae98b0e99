/// A histogram of entry sizes in bytes, by expiration time.
///
/// The histogram provides the total size of all expired entries without iterating over them. Each interval spans about a minute. An entry
/// is treated as expired when its interval has passed.
struct ExpiryCalendar {
    /// The number of entries that have an expiration time.
    private(set) var count = 0
    /// The total size in bytes of the entries that had expired at the last call to ``advance(to:)``.
    private var expiredBytes = 0
    /// The number of the interval that contains the latest time passed to ``advance(to:)``.
    private var present = Int64.min
    /// The total size in bytes of the entries that expire in each interval from ``present`` onward, keyed by interval number.
    private var future: [Int64: Int] = [:]

    /// Returns the number of the interval that contains `time`, in milliseconds since 1970.
    ///
    /// An interval spans 65,536 milliseconds.
    private static func interval(of time: Int64) -> Int64 { time >> 16 }

    /// Adds an entry of `size` bytes that expires at `expiry`, in milliseconds since 1970.
    mutating func add(_ size: Int, until expiry: Int64) {
        count += 1
        change(Self.interval(of: expiry), by: size)
    }

    /// Removes an entry of `size` bytes that was added with the same `expiry`.
    mutating func remove(_ size: Int, until expiry: Int64) {
        count -= 1
        change(Self.interval(of: expiry), by: -size)
    }

    private mutating func change(_ interval: Int64, by size: Int) {
        guard interval >= present else { return expiredBytes += size }
        let rest = future[interval, default: 0] + size
        future[interval] = rest == 0 ? nil : rest
    }

    /// Returns whether the clock has been set back since the last call to ``advance(to:)``, so the calendar must be rebuilt.
    func isAhead(of now: Int64) -> Bool { present > Self.interval(of: now) }

    /// Moves the calendar to `now`, in milliseconds since 1970, and returns the total size in bytes of the expired entries.
    mutating func advance(to now: Int64) -> Int {
        let interval = Self.interval(of: now)
        guard interval > present else { return expiredBytes }
        if present > .min, interval - present < future.count {
            for past in present..<interval { expiredBytes += future.removeValue(forKey: past) ?? 0 }
        } else {
            for (past, size) in future where past < interval { expiredBytes += size }
            future = future.filter { $0.key >= interval }
        }
        present = interval
        return expiredBytes
    }
}
