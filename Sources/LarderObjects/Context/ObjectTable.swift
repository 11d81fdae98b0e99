#if Objects
/// A hash table of the objects of one entity in a context, keyed by row id.
///
/// The table uses open addressing. Each slot takes 16 bytes, and at least a quarter of the slots are free. The table retains each state,
/// which retains its instance, if any.
final class ObjectTable {
    private struct Place {
        var rowID: Int64
        var state: Unmanaged<ObjectState>?
    }

    private var places: UnsafeMutablePointer<Place>?
    /// The base-2 logarithm of the number of slots.
    private var bits = 0
    private(set) var count = 0

    init() {}

    deinit { removeAll() }

    var isEmpty: Bool { count == 0 }

    private var capacity: Int { places == nil ? 0 : 1 << bits }

    /// The base-2 logarithm of the number of consecutive ids that hash to consecutive slots.
    private static let blockBits = 5

    /// Returns the first slot to probe for a row id.
    ///
    /// Blocks of consecutive ids hash to consecutive slots, for cache locality.
    @inline(__always)
    private static func home(_ rowID: Int64, _ bits: Int) -> Int {
        let row = UInt64(bitPattern: rowID)
        let block = (row >> UInt64(blockBits) &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 + blockBits - bits)
        let place = block << UInt64(blockBits) | row & (1 << UInt64(blockBits) - 1)
        return Int(truncatingIfNeeded: place)
    }

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

    /// Returns the object state for a row id, first adding the result of `make` if the table does not contain the row.
    ///
    /// The closure `make` must not use the table.
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

    /// Removes the object state for a row id.
    ///
    /// The caller must break the reference cycle between the state and its instance.
    ///
    /// - Returns: The removed state, or `nil` if the table does not contain the row.
    func remove(_ rowID: Int64) -> ObjectState? {
        guard let places, count > 0 else { return nil }
        let mask = 1 << bits - 1
        var gap = Self.home(rowID, bits)
        while places[gap].state != nil, places[gap].rowID != rowID { gap = (gap + 1) & mask }
        guard let state = places[gap].state?.takeRetainedValue() else { return nil }
        count -= 1
        // Later entries in the same probe sequence move up, so that no search stops at the gap.
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

    /// Moves all objects to a new table in constant time, and leaves this table empty.
    func handOver() -> ObjectTable {
        let other = ObjectTable()
        (other.places, other.bits, other.count) = (places, bits, count)
        (places, bits, count) = (nil, 0, 0)
        return other
    }

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

    /// Removes the states that satisfy `isUnwanted` and are referenced only by this table and by their own instances.
    ///
    /// - Returns: The instances of the removed states. Release them without holding the context's lock, because their deinitializers run
    ///   client code.
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
            // An instance retains its state, so the state's reference count is meaningful only without an instance.
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
