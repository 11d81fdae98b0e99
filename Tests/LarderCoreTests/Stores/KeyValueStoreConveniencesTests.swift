import LarderCore
import Testing

@Suite struct KeyValueStoreConveniencesTests {
    @Test func valueIsReadAsRequestedType() throws {
        let store = TestStore()
        try store.set(3.14159265359, for: StoreKey("pi", prefix: "Double."))
        #expect(try store.value(String.self, for: "Double.pi") == "3.14159265359")
    }

    @Test func readingAbsentValueReturnsNil() throws {
        let store = TestStore()
        #expect(try store.value(Int.self, for: "k") == nil)
        #expect(try store.value(Int.self, for: StoreKey("k")) == nil)
        try store.transaction { transaction in
            let values = try (transaction.value(Int.self, for: "k"), transaction.value([String: Int?].self, for: "k"))
            #expect(values.0 == nil && values.1 == nil)
        }
    }

    @Test func conversionErrorNamesStoredAndRequestedTypes() throws {
        let store = TestStore()
        try store.set("abc", for: StoreKey("k"))
        let error = #expect(throws: CoreError.NotFound.self) { try store.value(Int.self, for: "k") }
        #expect(error?.reason == .notConvertible(stored: .string, asked: "Int"))
    }

    @Test func readingAbsentValueReturnsNilUnderEveryPolicy() throws {
        for policy in [ConversionPolicy.foundation, .documented, .strict] {
            #expect(try TestStore().value(Int.self, for: "k", policy: policy) == nil)
        }
    }

    @Test func readingUnconvertibleValueInTransactionThrows() throws {
        let store = TestStore()
        try store.set("abc", for: "k")
        let error = #expect(throws: CoreError.NotFound.self) {
            try store.transaction { try $0.value(Int.self, for: "k") }
        }
        #expect(error == CoreError.NotFound(.notConvertible(stored: .string, asked: "Int"), key: "k"))
    }

    @Test func lossyReadReportsIssue() throws {
        let store = TestStore()
        try store.set(2.7, for: StoreKey("k"))
        let issues = Recorder<LarderIssue>()
        let value = try withIssueHandler({ issues.append($0) }) { try store.value(Int.self, for: "k") }
        #expect(value == 2)
        #expect(issues.all.map(\.code) == [.lossyConversion])
        #expect(issues.all.first?.key == "k")
        #expect(issues.all.first?.message.contains("2.7") == true)
    }

    @Test func exactReadReportsNoIssue() throws {
        let store = TestStore()
        try store.set(2.0, for: StoreKey("k"))
        let issues = Recorder<LarderIssue>()
        #expect(try withIssueHandler({ issues.append($0) }) { try store.value(Int.self, for: "k") } == 2)
        #expect(issues.all.isEmpty)
    }

    @Test func compareAndSetReplacesOnlyExpectedValue() throws {
        let store = TestStore()
        #expect(try store.compareAndSet("k", expecting: nil, to: 1))
        #expect(try !store.compareAndSet("k", expecting: nil, to: 2))
        #expect(try !store.compareAndSet("k", expecting: 9, to: 2))
        #expect(try store.compareAndSet("k", expecting: 1, to: nil))
        #expect(try store.get("k") == nil)
    }

    @Test func stringsCanBeUsedAsKeys() throws {
        let store = TestStore()
        try store.set(1, for: "k")
        #expect(try store.contains("k"))
        #expect(try store.get("k") == 1)
        try store.remove("k")
        #expect(try !store.contains("k"))
    }

    @Test func durabilityIsPassedToCommit() async throws {
        let store = TestStore()
        try await store.set(1, for: "k", durability: .synced)
        try setAndWait(store)
        #expect(try store.entries(prefix: "k").map(\.value) == [1, 2])
    }

    private func setAndWait(_ store: TestStore) throws { try store.set(2, for: "k2", durability: .synced) }

    @Test func keysAreListedByBytewisePrefix() throws {
        let store = TestStore()
        for key in ["Int.a", "Integer.a", "Int.\u{E9}", "Int.e\u{301}"] { try store.set(1, for: key) }
        #expect(try store.keys(prefix: "Int.") == ["Int.a", "Int.e\u{301}", "Int.\u{E9}"])
        #expect(try store.count(prefix: "Int") == 4)
    }

    @Test func inspectionReportsStorePropertiesAndEntries() throws {
        let store = TestStore()
        try store.set(["a": 1], for: "k")
        try store.set(2, for: "l")
        #expect(
            try store.inspectionFacts() == [
                InspectionFact("entries", "2"), InspectionFact("limitation", "It is a test."),
            ]
        )
        #expect(
            try store.inspectionRows(prefix: "", limit: 1) == [
                InspectionRow(key: "k", kind: "dictionary", value: #"["a": 1]"#)
            ]
        )
        #expect(try store.inspectionRows(prefix: "", limit: -1).isEmpty)
    }
}
