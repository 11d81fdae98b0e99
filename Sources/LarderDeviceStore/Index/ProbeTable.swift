/// A hash table of integers that uses open addressing and linear probing.
///
/// The upper half of a slot holds the lower half of the hash. The lower half of a slot holds the integer plus one. A free slot is zero, and
/// at least one slot is always free.
struct ProbeTable {
    private let slots: IndexWords
    /// The number of slots minus one.
    ///
    /// The number of slots is a power of two.
    let mask: Int

    @inline(__always)
    init(_ slots: IndexWords, mask: Int) {
        self.slots = slots
        self.mask = mask
    }

    /// Returns the number of slots in a table for `count` integers.
    ///
    /// At least a third of the slots stay free.
    static func size(for count: Int) -> Int {
        var size = 16
        while size < count + count / 2 { size *= 2 }
        return size
    }

    @inline(__always)
    private static func number(_ slot: UInt64) -> Int { Int(truncatingIfNeeded: slot & 0xFFFF_FFFF) &- 1 }

    @inline(__always)
    private func home(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash & 0xFFFF_FFFF) & mask }

    @inline(__always)
    private func isTagged(_ slot: UInt64, _ hash: UInt64) -> Bool {
        UInt32(truncatingIfNeeded: slot >> 32) == UInt32(truncatingIfNeeded: hash)
    }

    /// Returns the number in the first slot to probe for `hash`, or -1 if the slot is free.
    ///
    /// The number may belong to another key.
    @inline(__always)
    func firstNumber(_ hash: UInt64) -> Int { Self.number(slots[home(hash)]) }

    /// Searches for a key with the given hash, and returns the index of the key's slot and the number in the slot.
    ///
    /// If the key is absent, returns the index of the free slot for the key.
    ///
    /// `isSame` returns whether a number belongs to the key. The table must not change during the call.
    @inline(__always)
    func search(_ hash: UInt64, _ isSame: (Int) -> Bool) -> (place: Int, number: Int?) {
        var place = home(hash)
        while true {
            let slot = slots[place]
            if slot == 0 { return (place, nil) }
            if isTagged(slot, hash), isSame(Self.number(slot)) { return (place, Self.number(slot)) }
            place = (place &+ 1) & mask
        }
    }

    /// Calls `look` with the numbers that have the given hash, and returns the first result that is not `nil`.
    ///
    /// The search terminates even if the table changes at the same time.
    @inline(__always)
    func first<Result>(_ hash: UInt64, _ look: (Int) -> Result?) -> Result? {
        var place = home(hash)
        for _ in 0...mask {
            let slot = slots[place]
            if slot == 0 { return nil }
            if isTagged(slot, hash), let result = look(Self.number(slot)) { return result }
            place = (place &+ 1) & mask
        }
        return nil
    }

    /// Calls `body` with each number in the table and the lower half of its hash.
    @inline(__always)
    func forEach(_ body: (_ number: Int, _ hash: UInt64) throws -> Void) rethrows {
        for place in 0...mask {
            let slot = slots[place]
            if slot != 0 { try body(Self.number(slot), slot >> 32) }
        }
    }

    // MARK: Changing

    /// Stores `number` and the lower half of `hash` in the slot at index `place`.
    @inline(__always)
    func set(_ number: Int, hashed hash: UInt64, at place: Int) {
        slots[place] = hash << 32 | UInt64(truncatingIfNeeded: number &+ 1)
    }

    /// Stores `number` in a free slot.
    ///
    /// The table must not contain a number for the same key.
    @inline(__always)
    func insert(_ number: Int, hashed hash: UInt64) { set(number, hashed: hash, at: search(hash) { _ in false }.place) }

    /// Clears the slot at index `place`, and shifts back later slots of the run that would become unreachable.
    func remove(at place: Int) {
        var place = place
        slots[place] = 0
        var next = (place + 1) & mask
        while true {
            let slot = slots[next]
            if slot == 0 { return }
            // A slot whose home lies cyclically after the gap stays reachable.
            if (next - home(slot >> 32)) & mask >= (next - place) & mask {
                slots[place] = slot
                slots[next] = 0
                place = next
            }
            next = (next + 1) & mask
        }
    }
}
