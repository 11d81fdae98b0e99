#if Objects
/// The objects of one entity that a context knows, by row.
///
/// A table with open places that are looked at one after another: eight bytes for each place, of which at least a fifth is free. It
/// holds each state, and through it the instance; both let one another go when the object is taken out.
final class ObjectTable {
    private var places: UnsafeMutablePointer<Unmanaged<ObjectState>?>?
    /// How many places there are, as a power of two; 0 for none.
    private var bits = 0
    private(set) var count = 0

    init() {}

    deinit { removeAll() }

    var isEmpty: Bool { count == 0 }

    private var capacity: Int { places == nil ? 0 : 1 << bits }

    /// Where to look for a row first; rows that follow one another are spread evenly.
    @inline(__always)
    private func home(_ rowID: Int64) -> Int {
        Int(truncatingIfNeeded: (UInt64(bitPattern: rowID) &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - bits))
    }

    /// The object in a row.
    subscript(rowID: Int64) -> ObjectState? {
        guard let place = place(of: rowID) else { return nil }
        return places?[place]?.takeUnretainedValue()
    }

    private func place(of rowID: Int64) -> Int? {
        guard let places, count > 0 else { return nil }
        let mask = 1 << bits - 1
        var place = home(rowID)
        while let state = places[place] {
            if state._withUnsafeGuaranteedRef({ $0.rowID }) == rowID { return place }
            place = (place + 1) & mask
        }
        return nil
    }

    /// Adds an object whose row has none here.
    func insert(_ state: ObjectState) {
        if (count + 1) * 5 > capacity * 4 { grow() }
        guard let places else { return }
        let mask = 1 << bits - 1
        var place = home(state.rowID)
        while places[place] != nil { place = (place + 1) & mask }
        places[place] = .passRetained(state)
        count += 1
    }

    /// Takes the object of a row out, which is then nobody's but its holders'.
    ///
    /// - Returns: The object, if there was one.
    @discardableResult
    func remove(_ rowID: Int64) -> ObjectState? {
        guard let places, let found = place(of: rowID), let state = places[found]?.takeRetainedValue() else {
            return nil
        }
        count -= 1
        state.object = nil
        // Those behind it move up, as far as they may, so that no search ends at the gap.
        let mask = 1 << bits - 1
        var (gap, place) = (found, (found + 1) & mask)
        while let next = places[place] {
            let home = home(next._withUnsafeGuaranteedRef { $0.rowID })
            if (place - home) & mask >= (place - gap) & mask {
                places[gap] = next
                gap = place
            }
            place = (place + 1) & mask
        }
        places[gap] = nil
        return state
    }

    /// Takes all objects out.
    func removeAll() {
        guard let places else { return }
        let old = capacity
        (self.places, bits, count) = (nil, 0, 0)
        for place in 0..<old {
            guard let state = places[place]?.takeRetainedValue() else { continue }
            state.object = nil
        }
        places.deallocate()
    }

    /// Takes those objects out that `isUnwanted` says.
    func removeAll(where isUnwanted: (ObjectState) -> Bool) {
        for state in states where isUnwanted(state) { remove(state.rowID) }
    }

    /// All objects, in no order.
    var states: [ObjectState] {
        guard let places else { return [] }
        return (0..<capacity).compactMap { places[$0]?.takeUnretainedValue() }
    }

    private func grow() {
        let (old, oldPlaces) = (capacity, places)
        let newBits = places == nil ? 4 : bits + 1
        let fresh = UnsafeMutablePointer<Unmanaged<ObjectState>?>.allocate(capacity: 1 << newBits)
        fresh.initialize(repeating: nil, count: 1 << newBits)
        (places, bits) = (fresh, newBits)
        guard let oldPlaces else { return }
        let mask = 1 << newBits - 1
        for place in 0..<old {
            guard let state = oldPlaces[place] else { continue }
            var new = home(state._withUnsafeGuaranteedRef { $0.rowID })
            while fresh[new] != nil { new = (new + 1) & mask }
            fresh[new] = state
        }
        oldPlaces.deallocate()
    }
}
#endif
