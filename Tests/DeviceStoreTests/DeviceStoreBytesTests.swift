import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport
import Synchronization
import Testing

/// Tests that a store owns the bytes that it keeps.
@Suite struct DeviceStoreBytesTests {
    /// The positions of data in a stored value.
    enum Form: CaseIterable {
        case data, array, dictionary, nested

        func value(_ data: Data) -> StoredValue {
            switch self {
            case .data: .data(data)
            case .array: .array([.int(1), .data(data)])
            case .dictionary: .dictionary(["bytes": .data(data), "text": "t"])
            case .nested: .array([.dictionary(["list": .array([.data(data)])]), "t"])
            }
        }
    }

    enum Way: CaseIterable {
        case set, setAgain, batch, expiring

        func store(_ value: StoredValue, in store: DeviceStore) throws {
            switch self {
            case .set: try store.set(value, for: "k")
            case .setAgain:
                try store.set(.data(Data([7])), for: "k")
                try store.set(value, for: "k")
            case .batch:
                var batch = StoreBatch()
                batch.set(value, for: "k")
                batch.set(1, for: "l")
                _ = try store.commit(batch)
            case .expiring: try store.set(value, for: "k", until: Date(timeIntervalSinceReferenceDate: 4_000_000_000))
            }
        }
    }

    private let store: DeviceStore
    // Declared after the properties that use files, because properties are released in this order and releasing this one removes the
    // folder.
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        store = try DeviceStore(path: directory.path("s.larder"))
    }

    @Test(arguments: Form.allCases, Way.allCases)
    func mutatingCallerBufferDoesNotChangeStoredBytes(form: Form, way: Way) throws {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 8)
        defer { bytes.deallocate() }
        bytes.initializeMemory(as: UInt8.self, repeating: 1)
        let start = try #require(bytes.baseAddress)
        try way.store(form.value(Data(bytesNoCopy: start, count: bytes.count, deallocator: .none)), in: store)
        bytes.initializeMemory(as: UInt8.self, repeating: 2)
        #expect(try store.get("k") == form.value(Data(repeating: 1, count: 100)))
        #expect(try store.verify().isIntact)
    }

    /// Returns data of `count` bytes, and a flag that is set when the memory of the data is freed.
    private func data(_ count: Int) -> (data: Data, isGone: Flag) {
        let isGone = Flag()
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 8)
        bytes.initializeMemory(as: UInt8.self, repeating: 1, count: count)
        let data = Data(
            bytesNoCopy: bytes,
            count: count,
            deallocator: .custom { bytes, _ in
                bytes.deallocate()
                isGone.set()
            }
        )
        return (data, isGone)
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }

    @Test(arguments: Form.allCases)
    func storedSliceDoesNotRetainLargeBuffer(form: Form) throws {
        let isGone: Flag
        do {
            let (all, flag) = data(1 << 20)
            isGone = flag
            try store.set(form.value(all[100..<200]), for: "k")
        }
        #expect(isGone.isSet)
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: [100, 100_000])
    func changedValueIsDeallocatedAfterDelivery(size: Int) throws {
        let events = Atomic(0)
        let observation = store.observe(prefix: "") { _ in events.add(1, ordering: .relaxed) }
        defer { observation.cancel() }
        let isGone: Flag
        do {
            let (all, flag) = data(size)
            isGone = flag
            try store.set(.data(all), for: "k")
        }
        try blockUntil("the end of the value") { isGone.isSet }
        #expect(events.load(ordering: .relaxed) == 1)
        #expect(try store.verify().isIntact)
    }
}
