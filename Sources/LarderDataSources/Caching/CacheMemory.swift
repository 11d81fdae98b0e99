import Foundation
import LarderCore

/// An in-memory LRU cache with expiring entries.
///
/// Lookups take constant time: the entries form a linked list in an array, and a dictionary maps each key to its slot. Callers must release
/// removed entries outside their lock, because a value's `deinit` may use the cache.
struct CacheMemory<T: Sendable>: Sendable {
    struct Entry {
        let key: StoreKey
        let held: Held<T>
        let size: Int
        /// The monotonic time at which the entry expires.
        let expiry: Duration
        /// The monotonic time at which the value was written, or `nil` if unknown.
        let written: Duration?
        /// The expiry date that the source reported for the value, or `nil` if it reported none.
        let sourceExpiry: Date?
    }

    private struct Slot {
        /// The entry in this slot, or `nil` if the slot is free.
        var entry: Entry?
        /// The index of the next more recently used slot, or `nil` for the most recently used slot.
        var newer: Int?
        /// The index of the next less recently used slot, or `nil` for the least recently used slot.
        var older: Int?
    }

    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    private var places: [StoreKey: Int] = [:]
    private var newest: Int?
    private var oldest: Int?
    /// The total size of the entries by the measure of the cache's bounds.
    private(set) var bytes = 0

    var count: Int { places.count }

    /// Looks up the entry of a key and marks it as most recently used, or removes the entry if it has expired.
    ///
    /// - Returns: The entry as `fresh`, or the expired entry as `forgotten`, for the caller to release outside its lock.
    mutating func recall(_ key: StoreKey, at now: Duration) -> (fresh: Entry?, forgotten: Entry?) {
        guard let place = places[key], let entry = slots[place].entry else { return (nil, nil) }
        guard now < entry.expiry else { return (nil, forget(key)) }
        unlink(place)
        linkAsNewest(place)
        return (entry, nil)
    }

    /// Stores an entry, and evicts expired and least recently used entries as needed to stay within the limits.
    ///
    /// Expired entries are evicted from the least recently used end only. An entry larger than the byte limit is not stored, but the
    /// previous entry for its key is removed.
    ///
    /// - Returns: The evicted entries, for the caller to release outside its lock.
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

    /// Removes all entries from this cache.
    ///
    /// - Returns: The removed entries, for the caller to release outside its lock.
    mutating func removeAll() -> CacheMemory {
        var former = CacheMemory()
        swap(&former, &self)
        return former
    }

    /// The maximum number of entries whose ages are looked at.
    private static var mostAges: Int { 1 << 16 }

    /// The monotonic times at which values were written, those of a part of the entries if there are very many.
    var writingTimes: [Duration] {
        let step = max(1, slots.count / Self.mostAges)
        return stride(from: 0, to: slots.count, by: step).compactMap { slots[$0].entry?.written }
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
