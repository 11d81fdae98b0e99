/// How much of what expires has: counted by when it does, so that nobody need look at every entry to know.
///
/// By stretches of about a minute: what has expired counts when its stretch is over.
struct ExpiryCalendar {
    /// How many keys have an expiry.
    private(set) var count = 0
    /// What the entries take whose stretch lies in the past, as far as ``advance(to:)`` was told.
    private var expiredBytes = 0
    /// The first stretch that does not.
    private var present = Int64.min
    /// What the entries of each other stretch take.
    private var future: [Int64: Int] = [:]

    /// 65,536 milliseconds.
    private static func stretch(of time: Int64) -> Int64 { time >> 16 }

    /// Notes an entry of `size` bytes that expires then.
    mutating func add(_ size: Int, until expiry: Int64) {
        count += 1
        change(Self.stretch(of: expiry), by: size)
    }

    /// Forgets an entry that was noted.
    mutating func remove(_ size: Int, until expiry: Int64) {
        count -= 1
        change(Self.stretch(of: expiry), by: -size)
    }

    private mutating func change(_ stretch: Int64, by size: Int) {
        guard stretch >= present else { return expiredBytes += size }
        let rest = future[stretch, default: 0] + size
        future[stretch] = rest == 0 ? nil : rest
    }

    /// Whether the clock was set back since ``advance(to:)``: then it must be made anew.
    func isAhead(of now: Int64) -> Bool { present > Self.stretch(of: now) }

    /// Moves on to `now`.
    ///
    /// - Returns: What the entries take that have expired.
    mutating func advance(to now: Int64) -> Int {
        let stretch = Self.stretch(of: now)
        guard stretch > present else { return expiredBytes }
        if present > .min, stretch - present < future.count {
            for past in present..<stretch { expiredBytes += future.removeValue(forKey: past) ?? 0 }
        } else {
            for (past, size) in future where past < stretch { expiredBytes += size }
            future = future.filter { $0.key >= stretch }
        }
        present = stretch
        return expiredBytes
    }
}
