package import LarderCore

// What Larder's other stores ask of a store without knowing this one.

extension DeviceStore: CompactingStore {}

extension DeviceStore: ReservedRecordStore {
    package func holdsReservedRecords() throws -> Bool {
        try checkOpen()
        return try engine.enter { try Reading.withIndex(&$0) { $0.holdsReservedRecords() } }
    }
}

extension DeviceStore: ConditionalStore {
    package func set(
        _ value: StoredValue,
        for key: StoreKey,
        if expectation: StoreBatch.Expectation,
        isFresh: Bool
    ) throws -> Bool {
        guard case .value(.int(let number)?, let other) = expectation else {
            return try commit(.setting(value, for: key, if: expectation))
        }
        try checkOpen()
        try other.validate()
        let condition = Commit.Condition(key: other, number: number, isFresh: isFresh)
        return try engine.enter { try Commit.put(value, for: key, if: condition, &$0) } != nil
    }
}
