import Foundation
import LarderCore
import Testing

@Suite struct StoreBatchTests {
    @Test func nullIsAcceptedInArraysButNotAsTopLevelValue() throws {
        #expect(throws: StoreError.self) { try batch { $0.set(.null, for: "a") }.validate() }
        try batch { $0.set([.null], for: "a") }.validate()
    }

    @Test func valueNestedDeeperThanSixtyFourLevelsIsRejected() throws {
        var value: StoredValue = ["a": 1]
        for _ in 1..<64 { value = [value] }
        try batch { $0.set(value, for: "a") }.validate()
        let error = #expect(throws: StoreError.self) { try batch { $0.set(["a": value], for: "k") }.validate() }
        #expect(error?.code == .unsupportedValue)
        #expect(error?.key == "k")
    }

    @Test func keysOfExpectationsAreValidated() {
        #expect(throws: StoreError.self) { try batch { $0.expect(1, at: "\u{0}larder.x") }.validate() }
    }

    @Test func batchPreservesOrderOfWrites() {
        let batch = batch {
            $0.set(1, for: "b")
            $0.remove("a")
            $0.write(2, for: "b")
        }
        #expect(batch.writes.map(\.key) == ["b", "a", "b"])
        #expect(batch.writes.map(\.value) == [1, nil, 2])
    }

    @Test(arguments: [255, 256, 257, 1_000], [0, 1_000])
    func largeBatchPreservesOrderOfWrites(_ count: Int, reserved: Int) {
        let batch = batch {
            $0.reserveCapacity(reserved)
            for number in 0..<count { $0.set(.int(Int64(number)), for: StoreKey("\(number)")) }
        }
        #expect(batch.writes.map(\.key.text) == (0..<count).map(String.init))
    }

    @Test func batchWritesAreAccessibleByIndex() {
        let batch = batch { for number in 0..<600 { $0.set(.int(Int64(number)), for: "k") } }
        #expect([0, 255, 256, 511, 512, 599].map { batch.writes[$0].value } == [0, 255, 256, 511, 512, 599])
    }

    @Test(arguments: ["", "p", "prefix.", "a prefix of 24 bytes ..."], [1, "text", nil] as [StoredValue?])
    func batchStoresKeysOfEveryLength(prefix: String, value: StoredValue?) {
        let names = (0...40).map { String("0123456789abcdefghijklmnopqrstuvwxyzäöü!".prefix($0)) }
        let batch = batch { for name in names { $0.write(value, for: StoreKey(name, prefix: prefix)) } }
        #expect(batch.writes.map(\.key) == names.map { StoreKey(prefix + $0) })
    }

    @Test(arguments: ["k", "a key of 17 bytes", "a key of more than 24 bytes"])
    func batchPreservesCachedKeyHashes(name: String) {
        let key = StoreKey(name).rememberingHash()
        let batch = batch { $0.set(1, for: key) }
        #expect(batch.writes[0].key.rememberedHash == key.rememberedHash)
    }

    @Test(arguments: ["larder", "\u{0}", "\u{0}lard"]) func batchAcceptsKeysResemblingReservedKeys(
        name: String
    ) throws {
        try batch { $0.set(1, for: StoreKey(name)) }.validate()
    }

    @Test(arguments: ["\u{0}larder", "\u{0}larder.x", "\u{0}larder, in a key of more than 24 bytes"], [0, 4])
    func batchWithReservedKeyIsRejected(name: String, prefixLength: Int) {
        let key = StoreKey(String(name.dropFirst(prefixLength)), prefix: String(name.prefix(prefixLength)))
        let error = #expect(throws: StoreError.self) { try batch { $0.set(1, for: key) }.validate() }
        #expect(error?.code == .reservedKey)
    }

    @Test(arguments: [0, 1, 5, 17, 18, 60, 9_000], [1, "text", nil] as [StoredValue?])
    func batchPreservesInternalKey(length: Int, value: StoredValue?) {
        let key = StoreKey(reserved: String(repeating: "n", count: length))
        let written = batch { $0.write(value, for: key) }.writes[0].key
        #expect(written.isInternal && written == key && written.prefix == key.prefix && written.name == key.name)
    }

    @Test func batchAcceptsInternalKey() throws {
        try batch { for length in [0, 17, 18, 4_000] { $0.set(1, for: StoreKey(reserved: name(length))) } }.validate()
    }

    @Test(arguments: [
        [4_096, 4_096, 25], [8_192, 25], [9_000, 25, 9_000], [25, 8_167, 25], [25, 8_168, 25], [1, 25, 24],
    ])
    func batchCanMixKeysOfDifferentLengths(lengths: [Int]) {
        let keys = (lengths + lengths).enumerated().map { StoreKey("\($0.offset)" + name($0.element - 1)) }
        let batch = batch { for key in keys { $0.set(1, for: key) } }
        #expect(batch.writes.map(\.key) == keys)
    }

    @Test func batchCopyIsIndependent() {
        let first = batch { $0.set(1, for: StoreKey(name(40))) }
        var second = first
        second.set(2, for: "a key that the first one does not have")
        #expect(first.writes.map(\.key) == [StoreKey(name(40))])
        #expect(second.writes.map(\.key) == [StoreKey(name(40)), "a key that the first one does not have"])
    }

    @Test(arguments: [1, nil] as [StoredValue?]) func oversizedKeyErrorNamesKey(value: StoredValue?) {
        let tooLong = StoreKey("x" + name(4_096))
        let error = #expect(throws: StoreError.self) {
            try batch {
                for number in 0..<300 { $0.set(1, for: StoreKey("\(number)" + name(30))) }
                $0.write(value, for: tooLong)
            }.validate()
        }
        #expect(error?.code == .keyTooLong)
        #expect(error?.key?.first == "x")
    }

    @Test func nullValueErrorNamesLongKey() {
        let error = #expect(throws: StoreError.self) { try batch { $0.set(.null, for: StoreKey(name(40))) }.validate() }
        #expect(error?.key == name(40))
    }

    @Test func batchPreservesOrderOfShortAndLongKeys() {
        let names = (0..<1_000).map { $0 % 3 == 0 ? "\($0)" : "\($0) and longer than what a record holds" }
        let batch = batch {
            for name in names { $0.write(name.utf8.count % 2 == 0 ? 1 : "text", for: StoreKey(name)) }
        }
        #expect(batch.writes.map(\.key.text) == names)
    }

    // Not under a sanitizer, which does not allow traps.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["LARDER_PROOFS"] == nil))
    func accessingWriteBeyondBatchEndTraps() async {
        await #expect(processExitsWith: .failure) {
            var batch = StoreBatch()
            for number in 0..<Int64(260) { batch.set(.int(number), for: "k") }
            _ = batch.writes[3 * 256 + 2]
        }
    }

    @Test func lastWriteOfLargeBatchIsValidated() {
        #expect(throws: StoreError.self) {
            try batch {
                for number in 0..<512 { $0.set(.int(Int64(number)), for: "k") }
                $0.set(.null, for: "k")
            }.validate()
        }
    }

    @Test func failedExpectationPreventsAllWrites() throws {
        let store = TestStore()
        try store.set(1, for: "a")
        let isCommitted = try store.commit(
            batch {
                $0.set(9, for: "b")
                $0.expect([], prefix: "a")
            }
        )
        #expect(!isCommitted)
        #expect(try store.get("b") == nil)
    }

    private func name(_ length: Int) -> String { String(repeating: "n", count: length) }

    private func batch(_ build: (inout StoreBatch) -> Void) -> StoreBatch {
        var batch = StoreBatch()
        build(&batch)
        return batch
    }
}

@Suite struct CanonicalWriteTests {
    @Test func unsignedIntegerInInt64RangeIsWrittenAsInt() {
        var batch = StoreBatch()
        batch.set(["deep": [.unsigned(7)]], for: "k")
        guard case .dictionary(let entries)? = batch.writes.first?.value, case .array(let elements)? = entries["deep"],
            case .int(7)? = elements.first
        else {
            Issue.record("\(batch.writes)")
            return
        }
    }
}
