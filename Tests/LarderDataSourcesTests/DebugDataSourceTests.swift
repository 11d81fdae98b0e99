import LarderCore
import LarderDataSources
import LarderTesting
import Testing

@Suite struct DebugDataSourceTests {
    private struct Broken: Error {}
    private let key = KeyQuery("k")
    private let events = Recorder<DebugEvent>()

    @Test func debugDataSourceReportsEveryCall() throws {
        let source = DebugDataSource(InMemoryDataSource<Int>()) { [events] in events.add($0) }
        try source.put(1, in: key).get()
        try source.putAll([2], forId: "l").get()
        _ = try source.getAll("l").get()
        _ = try source.update(key) { $0 = 3 }.get()
        _ = try source.entries().get()
        try source.delete(key).get()
        #expect(throws: CoreError.NotFound.self) { try source.get(key).get() }
        #expect(events.values.map(\.verb) == ["put", "putAll", "getAll", "update", "entries", "delete", "get"])
        #expect(events.values.map { $0.error != nil } == [false, false, false, false, false, false, true])
        #expect(events.values.last?.error is CoreError.NotFound)
        #expect(events.values.first?.description.hasPrefix("put key(\"k\") took ") == true)
    }

    @Test func debugDataSourceCanDelayCalls() async throws {
        let time = ManualTimeSource()
        let source = DebugDataSource(
            InMemoryDataSource<Int>(),
            trouble: DebugTrouble(delay: { .seconds(2) }),
            time: time
        ) { [events] in events.add($0) }
        let put = source.put(1, in: key)
        #expect(!put.isSettled)
        await time.waitForSleepers()
        time.advance(by: .seconds(2))
        #expect(try await put.value == 1)
        #expect(events.values.map(\.duration) == [.seconds(2)])
    }

    @Test func debugDataSourceCanInjectRandomFailures() throws {
        let numbers = Recorder<Double>()
        let trouble = DebugTrouble.random(0.5, error: Broken()) {
            numbers.add(0)
            return numbers.values.count.isMultiple(of: 2) ? 0.4 : 0.5
        }
        let memory = InMemoryDataSource<Int>()
        let source = DebugDataSource(memory, trouble: trouble) { [events] in events.add($0) }
        try source.put(1, in: key).get()
        #expect(throws: Broken.self) { try source.put(2, in: key).get() }
        #expect(try memory.get(key).get() == 1)
        #expect(events.values.last?.error is Broken)
        #expect(events.values.last?.description.contains("and failed") == true)
    }

    @Test func unhandledFailureIsReportedThroughDebugDataSource() {
        let issues = issues {
            DebugDataSource(InMemoryDataSource<Int>()) { [events] in events.add($0) }.put(nil, in: key)
        }
        #expect(issues.map(\.code) == [.unhandledFailure])
    }
}
