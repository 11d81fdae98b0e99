package import LarderCore

// Conformances that allow Larder's other stores to use a device store without depending on this module.

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
        try commit(value, for: key, if: expectation, isFresh: isFresh)
    }
}
