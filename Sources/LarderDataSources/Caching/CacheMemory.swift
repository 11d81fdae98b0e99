import Foundation
import LarderCore

/// What a cache remembers, in the order in which it was used.
///
/// Every call takes the same time however much is remembered: the entries are a list, linked through an array, with a dictionary that
/// says where each key is. What is forgotten is returned, so that it is released outside the lock that guards this: a value's `deinit`
/// may use the cache.
struct CacheMemory<T: Sendable>: Sendable {
    struct Entry {
        let key: StoreKey
        let held: Held<T>
        let size: Int
        /// Until when it is remembered.
        let expiry: Duration
        /// When it was written; `nil` when nobody knows.
        let written: Duration?
        /// Until when it may be used, as its source has it.
        let lastUse: Date?
    }

    private struct Slot {
        /// `nil` when the slot is free.
        var entry: Entry?
        /// The slot used next more recently, and next less recently.
        var newer: Int?
        var older: Int?
    }

    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    private var places: [StoreKey: Int] = [:]
    private var newest: Int?
    private var oldest: Int?
    private var bytes = 0

    var count: Int { places.count }

    /// What is remembered, if it is fresh, or what was forgotten because it is not.
    mutating func recall(_ key: StoreKey, at now: Duration) -> (fresh: Entry?, forgotten: Entry?) {
        guard let place = places[key], let entry = slots[place].entry else { return (nil, nil) }
        guard now < entry.expiry else { return (nil, forget(key)) }
        unlink(place)
        linkAsNewest(place)
        return (entry, nil)
    }

    /// Remembers, and forgets what was used least recently until everything is within the bounds and that has not expired.
    ///
    /// So nothing stays for longer than its expiry after its last use, however many keys are asked for once and never again.
    ///
    /// What is larger than `limit` alone is not remembered, and nothing is forgotten for it but what was there under its key.
    ///
    /// - Returns: What was forgotten.
    mutating func remember(_ new: Entry, at now: Duration, count: Int, bytes limit: Int) -> [Entry] {
        var forgotten = [forget(new.key)].compactMap(\.self)
        while let oldest, let entry = slots[oldest].entry, entry.expiry <= now {
            forgotten.append(entry)
            _ = forget(entry.key)
        }
        let size = new.size
        guard size <= limit, count > 0 else { return forgotten }
        while let oldest, let entry = slots[oldest].entry, places.count >= count || bytes > limit - size {
            forgotten.append(entry)
            _ = forget(entry.key)
        }
        let place = takeSlot(new)
        places[new.key] = place
        bytes += size
        linkAsNewest(place)
        return forgotten
    }

    mutating func forget(_ key: StoreKey) -> Entry? {
        guard let place = places.removeValue(forKey: key) else { return nil }
        unlink(place)
        let entry = slots[place].entry
        bytes -= entry?.size ?? 0
        slots[place].entry = nil
        freeSlots.append(place)
        return entry
    }

    /// - Returns: All that was remembered.
    mutating func forgetAll() -> CacheMemory {
        var former = CacheMemory()
        swap(&former, &self)
        return former
    }

    private mutating func takeSlot(_ entry: Entry) -> Int {
        if let place = freeSlots.popLast() {
            slots[place].entry = entry
            return place
        }
        slots.append(Slot(entry: entry))
        return slots.count - 1
    }

    private mutating func linkAsNewest(_ place: Int) {
        slots[place].older = newest
        slots[place].newer = nil
        if let newest { slots[newest].newer = place } else { oldest = place }
        newest = place
    }

    private mutating func unlink(_ place: Int) {
        let (newer, older) = (slots[place].newer, slots[place].older)
        if let newer { slots[newer].older = older } else { newest = older }
        if let older { slots[older].newer = newer } else { oldest = newer }
    }
}
