#if Objects
/// The objects of one entity that a context knows, by row.
///
/// A table with open places that are looked at one after another: sixteen bytes for each place, of which at least a quarter is free.
/// It holds each state, and through it the instance, if there is one; a caller that removes a state breaks the cycle of the two.
final class ObjectTable {
    private struct Place {
        var rowID: Int64
        var state: Unmanaged<ObjectState>?
    }

    private var places: UnsafeMutablePointer<Place>?
    /// How many places there are, as a power of two.
    private var bits = 0
    private(set) var count = 0

    init() {}

    deinit { removeAll() }

    var isEmpty: Bool { count == 0 }

    private var capacity: Int { places == nil ? 0 : 1 << bits }

    /// How many rows that follow one another have places that do so too, as a power of two.
    private static let blockBits = 5

    /// Where to look for a row first.
    ///
    /// Rows are mostly read in their order, and were made in it: a block of them lies in few lines of the cache, and letting the
    /// objects go walks the memory as it was taken. The blocks are spread evenly.
    @inline(__always)
    private static func home(_ rowID: Int64, _ bits: Int) -> Int {
        let row = UInt64(bitPattern: rowID)
        let block = (row >> UInt64(blockBits) &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 + blockBits - bits)
        let place = block << UInt64(blockBits) | row & (1 << UInt64(blockBits) - 1)
        return Int(truncatingIfNeeded: place)
    }

    /// The object in a row.
    subscript(rowID: Int64) -> ObjectState? {
        let (places, bits) = (places, bits)
        guard let places else { return nil }
        let mask = 1 << bits - 1
        var place = Self.home(rowID, bits)
        while let state = places[place].state {
            if places[place].rowID == rowID { return state.takeUnretainedValue() }
            place = (place + 1) & mask
        }
        return nil
    }

    /// The state of the object in a row, which `make` makes if there is none here; the table holds it.
    ///
    /// `make` does not use the table.
    func state(in rowID: Int64, make: () -> ObjectState) -> ObjectState {
        if (count + 1) * 4 > capacity * 3 { grow() }
        let (places, bits) = (places, bits)
        guard let places else { return make() }
        let mask = 1 << bits - 1
        var place = Self.home(rowID, bits)
        while let state = places[place].state {
            if places[place].rowID == rowID { return state.takeUnretainedValue() }
            place = (place + 1) & mask
        }
        let made = make()
        places[place] = Place(rowID: rowID, state: .passRetained(made))
        count += 1
        return made
    }

    /// Removes the state of a row, which still holds its instance: both are released once the caller has released that.
    ///
    /// - Returns: The state, if there was one.
    func remove(_ rowID: Int64) -> ObjectState? {
        guard let places, count > 0 else { return nil }
        let mask = 1 << bits - 1
        var gap = Self.home(rowID, bits)
        while places[gap].state != nil, places[gap].rowID != rowID { gap = (gap + 1) & mask }
        guard let state = places[gap].state?.takeRetainedValue() else { return nil }
        count -= 1
        // Those behind it move up, as far as they may, so that no search ends at the gap.
        var place = (gap + 1) & mask
        while places[place].state != nil {
            let home = Self.home(places[place].rowID, bits)
            if (place - home) & mask >= (place - gap) & mask {
                places[gap] = places[place]
                gap = place
            }
            place = (place + 1) & mask
        }
        places[gap].state = nil
        return state
    }

    /// Hands all objects over to another table, without looking at any.
    func handOver() -> ObjectTable {
        let other = ObjectTable()
        (other.places, other.bits, other.count) = (places, bits, count)
        (places, bits, count) = (nil, 0, 0)
        return other
    }

    /// Takes all objects out.
    func removeAll() {
        guard let places else { return }
        let old = capacity
        (self.places, bits, count) = (nil, 0, 0)
        for place in 0..<old {
            guard let state = places[place].state?.takeRetainedValue() else { continue }
            state.object = nil
        }
        places.deallocate()
    }

    /// Removes the states that nothing but the table and their own instances holds, and that `isUnwanted` returns `true` for.
    ///
    /// - Returns: The instances of the removed states: release them where the caller's deinitializers may run.
    func removeUnused(where isUnwanted: (ObjectState) -> Bool) -> [AnyObject] {
        guard let places else { return [] }
        var unused: [Int64] = []
        for place in 0..<capacity {
            guard let held = places[place].state else { continue }
            let isUnused = held._withUnsafeGuaranteedRef { state in
                guard isUnwanted(state) else { return false }
                return state.object == nil || isKnownUniquelyReferenced(&state.object)
            }
            guard isUnused else { continue }
            // The instance holds the state, so only a state without an instance says by its references whether it is in use.
            var state = held.takeRetainedValue()
            let isHeld = state.object == nil && !isKnownUniquelyReferenced(&state)
            places[place].state = .passRetained(state)
            if !isHeld { unused.append(places[place].rowID) }
        }
        return unused.compactMap { rowID in
            guard let state = remove(rowID) else { return nil }
            defer { state.object = nil }
            return state.object
        }
    }

    /// All objects, in no order.
    var states: [ObjectState] {
        guard let places else { return [] }
        return (0..<capacity).compactMap { places[$0].state?.takeUnretainedValue() }
    }

    private func grow() {
        let (old, oldPlaces) = (capacity, places)
        let newBits = places == nil ? Self.blockBits : bits + 1
        let fresh = UnsafeMutablePointer<Place>.allocate(capacity: 1 << newBits)
        fresh.initialize(repeating: Place(rowID: 0, state: nil), count: 1 << newBits)
        (places, bits) = (fresh, newBits)
        guard let oldPlaces else { return }
        let mask = 1 << newBits - 1
        for place in 0..<old where oldPlaces[place].state != nil {
            var new = Self.home(oldPlaces[place].rowID, newBits)
            while fresh[new].state != nil { new = (new + 1) & mask }
            fresh[new] = oldPlaces[place]
        }
        oldPlaces.deallocate()
    }
}
#endif
