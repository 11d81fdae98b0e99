#if Inspector
import Foundation
import LarderCore
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Testing

@testable import LarderInspector

@Suite struct EventTests {
    private let stub = StubInstance()
    private let time = ManualTimeSource()

    /// Connects a page, and waits until the instance is observed.
    private func connect(_ fixture: InspectorFixture) async throws -> EventStream {
        let answer = await fixture.send("GET", "/api/events")
        #expect(answer.header("Content-Type") == "text/event-stream")
        guard case .events(let stream) = answer.body else { throw Missing() }
        try await waitUntil { stub.observerCount == 1 }
        return stream
    }

    private struct Missing: Error {}

    /// Waits for an event with a name, and returns the data of all events with this name that have arrived.
    private func events(_ name: String, _ stream: EventStream, count: Int = 1) async throws -> [JSONValue] {
        var found: [JSONValue] = []
        try await waitUntil {
            for event in String(decoding: stream.take(), as: UTF8.self).components(separatedBy: "\n\n") {
                let lines = event.components(separatedBy: "\n")
                guard lines.count == 2, lines[0] == "event: \(name)" else { continue }
                found.append(try JSONDecoder().decode(JSONValue.self, from: Data(lines[1].dropFirst(6).utf8)))
            }
            return found.count >= count
        }
        return found
    }

    @Test func streamBeginsWithHelloAndTheRuns() async throws {
        let stub = StubInstance { $0.actions = [InspectionAction("verify", "Checks.")] }
        let fixture = try InspectorFixture(stub)
        _ = try await fixture.run("verify")
        let text = try await fixture.send("GET", "/api/events").text
        #expect(text.hasPrefix("event: hello\ndata: {\"isLive\":true,\"version\":"))
        #expect(text.contains("event: run\ndata: {\"run\":\"1\""))
        fixture.api.close()
    }

    @Test func instancesSayWhetherTheyReportChanges() async throws {
        let fixture = try InspectorFixture(StubInstance(), StubInstance { $0.role = .outbox })
        let instances = try await fixture.get("/api/instances")["instances"].elements
        #expect(instances.map { $0["reportsChanges"] } == [.bool(true), .bool(false)])
        for number in 1...2 {
            let instance = try await fixture.get("/api/instances/\(number)")
            #expect(instance["reportsChanges"] == .bool(number == 1))
        }
        fixture.api.close()
    }

    @Test func changeArrivesWithItsValues() async throws {
        let fixture = try InspectorFixture(stub, time: time)
        let stream = try await connect(fixture)
        let change = InspectionChange(table: "entries", key: "k", kind: .updated, old: 1, new: "x", columns: ["value"])
        stub.emit(.changes([change], origin: "another process"))
        let event = try await events("changes", stream)[0]
        #expect(event["instance"].string == "1")
        #expect(event["origin"].string == "another process")
        #expect(event["omitted"] == .number(0))
        #expect(event["isMissed"] == .bool(false))
        let first = event["changes"][0]
        #expect(first["key"].string == "k")
        #expect(first["kind"].string == "updated")
        #expect(first["old"]["value"] == .number(1))
        #expect(first["new"]["value"].string == "x")
        fixture.api.close()
    }

    @Test func changesOfATenthOfASecondBecomeOneEvent() async throws {
        let fixture = try InspectorFixture(stub, time: time)
        let stream = try await connect(fixture)
        stub.emit("first", 0)
        _ = try await events("changes", stream)
        for number in 0..<10_000 { stub.emit("key\(number)", .int(Int64(number))) }
        time.advance(by: EventHub.interval)
        let event = try await events("changes", stream)[0]
        #expect(event["changes"].elements.count == 100)
        #expect(event["omitted"] == .number(9_900))
        fixture.api.close()
    }

    @Test func changesOfOneKeyAreMerged() {
        let buffer = ChangeBuffer(instance: "1")
        for number in 0..<1_000 {
            let kind = number == 0 ? InspectionChange.Kind.inserted : .updated
            buffer.add(
                .changes([InspectionChange(table: "t", key: "k", kind: kind, new: .int(Int64(number)))], origin: "a")
            )
        }
        let event = buffer.take(at: "")
        #expect(event?.changes.count == 1)
        #expect(event?.changes.first?.kind == .inserted)
        #expect(event?.omitted == 999)
        #expect(buffer.take(at: "") == nil)
    }

    @Test func removedAndInsertedKeyIsUpdated() {
        let buffer = ChangeBuffer(instance: "1")
        buffer.add(.changes([InspectionChange(table: "t", key: "k", kind: .removed, old: 1)], origin: "a"))
        buffer.add(.changes([InspectionChange(table: "t", key: "k", kind: .inserted, new: 2)], origin: "b"))
        let event = buffer.take(at: "")
        #expect(event?.changes.first?.kind == .updated)
        #expect(event?.origin == "several")
    }

    @Test func largeValuesOfChangesNeedLittleMemory() throws {
        let buffer = ChangeBuffer(instance: "1")
        let large = StoredValue.string(String(repeating: "x", count: 10_000_000))
        buffer.add(
            .changes([InspectionChange(table: "t", key: "k", kind: .updated, old: large, new: large)], origin: "a")
        )
        let event = try #require(buffer.take(at: ""))
        var json = JSONText()
        json.changes(event)
        #expect(json.bytes.count < 3_000)
        guard case .cut = event.changes[0].new else { throw Missing() }
    }

    @Test func secretOfAChangeIsMasked() {
        let buffer = ChangeBuffer(instance: "1")
        let long = StoredValue.string(String(repeating: "hunter2", count: 1_000))
        buffer.add(
            .changes(
                ["hunter2", long].enumerated().map {
                    InspectionChange(table: "t", key: "token\($0.offset)", kind: .updated, new: $0.element)
                },
                origin: "a"
            )
        )
        var json = JSONText()
        if let event = buffer.take(at: "") { json.changes(event) }
        #expect(!String(decoding: json.bytes, as: UTF8.self).contains("hunter2"))
    }

    @Test func slowPageLosesEventsAndLearnsThat() async throws {
        let fixture = try InspectorFixture(stub, time: time)
        let stream = try await connect(fixture)
        let value = [UInt8](repeating: UInt8(ascii: "x"), count: 100_000)
        for _ in 0..<1_000 { stream.add(value) }
        #expect(stream.take().count < 4_100_000)
        for _ in 0..<300 { stream.add([1]) }
        let text = String(decoding: stream.take(), as: UTF8.self)
        #expect(text.hasPrefix("event: changes"))
        #expect(text.contains("\"isMissed\":true"))
        fixture.api.close()
    }

    @Test func slowPageReceivesTheRunsAgainAndASignToReadTheIssues() async throws {
        let stub = StubInstance { $0.actions = [InspectionAction("verify", "Checks.")] }
        let fixture = try InspectorFixture(stub, time: time)
        guard case .events(let stream) = await fixture.send("GET", "/api/events").body else { throw Missing() }
        _ = stream.take()
        _ = try await fixture.run("verify")
        for _ in 0..<300 { stream.add([]) }
        let text = String(decoding: stream.take(), as: UTF8.self)
        #expect(text.contains("\"isMissed\":true"))
        #expect(text.contains("event: run\ndata: {\"run\":\"1\""))
        #expect(text.hasSuffix("event: lost\ndata: {}\n\n"))
        // A page that keeps up afterwards reads nothing again.
        stream.add([1])
        #expect(stream.take() == [1])
        fixture.api.close()
    }

    @Test func recordsAreCountedAgainAfterAChange() async throws {
        let fixture = try InspectorFixture(stub, time: time)
        _ = try await connect(fixture)
        _ = try await fixture.get("/api/instances/1")
        let reads = stub.tableReads
        _ = try await fixture.get("/api/instances/1")
        #expect(stub.tableReads == reads)
        stub.emit("key", 1)
        _ = try await fixture.get("/api/instances/1")
        #expect(stub.tableReads == reads + 1)
        fixture.api.close()
    }

    @Test func countThatBeganBeforeAChangeIsNotKept() async throws {
        let stub = StubInstance { content in
            // The tables of a store are read before it is observed.
            content.role = .objects
            content.emitsWhileCounting = true
        }
        let fixture = try InspectorFixture(stub, time: time)
        guard case .events = await fixture.send("GET", "/api/events").body else { throw Missing() }
        try await waitUntil { stub.observerCount == 1 }
        _ = try await fixture.get("/api/instances/1")
        let reads = stub.tableReads
        _ = try await fixture.get("/api/instances/1")
        #expect(stub.tableReads == reads + 1)
        fixture.api.close()
    }

    @Test func instanceIsObservedOnlyWhileAPageIsOpen() async throws {
        let fixture = try InspectorFixture(stub)
        #expect(stub.observerCount == 0)
        let first = try await connect(fixture)
        let second = try await connect(fixture)
        first.end()
        #expect(stub.observerCount == 1)
        second.end()
        try await waitUntil { stub.observerCount == 0 }
        _ = try await connect(fixture)
        fixture.api.close()
        try await waitUntil { stub.observerCount == 0 }
    }

    @Test func failedObservationIsTriedAgain() async throws {
        let error = StoreError(.busy, "The store is in use. Try again.")
        let stub = StubInstance { $0.observationErrors = [error, error] }
        let fixture = try InspectorFixture(stub, time: time)
        guard case .events(let stream) = await fixture.send("GET", "/api/events").body else { throw Missing() }
        let issue = try await events("issue", stream)[0]
        #expect(issue["message"].string.contains("can't be followed now"))
        #expect(issue["cause"].string == "The store is in use. Try again.")
        try await waitUntil {
            time.advance(by: EventHub.firstDelay)
            return stub.observerCount == 1
        }
        #expect(try await events("changes", stream)[0]["isMissed"] == .bool(true))
        #expect(try await fixture.get("/api/issues")["issues"].elements.count == 1)
        fixture.api.close()
    }

    @Test func tooManyPagesAreRefused() async throws {
        let fixture = try InspectorFixture(stub)
        var streams: [EventStream] = []
        for _ in 0..<EventHub.maximumStreams { streams.append(try await connect(fixture)) }
        #expect(await fixture.send("GET", "/api/events").status == 429)
        streams[0].end()
        #expect(await fixture.send("GET", "/api/events").status == 200)
        fixture.api.close()
        #expect(await fixture.send("GET", "/api/events").status == 429)
    }

    @Test func statisticsAreReadEverySecondWhileAPageIsOpen() async throws {
        let stub = StubInstance {
            $0.statistics = [InspectionStatistic("commits", 5, .counter), InspectionStatistic("rate", .nan)]
        }
        let fixture = try InspectorFixture(stub, time: time)
        guard case .events(let stream) = await fixture.send("GET", "/api/events").body else { throw Missing() }
        let first = try await events("statistics", stream)[0]
        #expect(first["statistics"][0]["number"] == .number(5))
        #expect(first["statistics"][0]["kind"].string == "counter")
        #expect(first["statistics"][1]["number"] == .null)
        try await waitUntil { time.sleeperCount == 2 }
        time.advance(by: .seconds(1))
        _ = try await events("statistics", stream)
        fixture.api.close()
    }

    @Test(.expectsIssues(.degraded)) func issueIsListedCountedAndSent() async throws {
        let fixture = try InspectorFixture(stub)
        let stream = try await connect(fixture)
        let issues = fixture.api.issues
        let collecting = Task { await issues.run() }
        let issue = LarderIssue(
            .degraded,
            "A sync was late. Check the disk.",
            underlying: StoreError(.inputOutput, "slow")
        )
        try await waitUntil {
            stub.report(issue)
            return String(decoding: stream.take(), as: UTF8.self).contains("event: issue")
        }
        let listed = try await fixture.get("/api/issues")["issues"][0]
        #expect(listed["code"].string == "degraded")
        #expect(listed["instance"].string == "1")
        #expect(listed["cause"].string == "slow")
        #expect(listed["remedy"].string.contains("cause"))
        #expect(try await fixture.get("/api/instances")["instances"][0]["issues"].number ?? 0 >= 1)
        collecting.cancel()
        fixture.api.close()
    }

    @Test func onlyTheLatestIssuesAreKept() async throws {
        let fixture = try InspectorFixture(stub)
        for number in 0..<1_100 { fixture.api.issues.add(LarderIssue(.readFailed, "issue \(number)"), nil) }
        let issues = try await fixture.get("/api/issues")["issues"].elements
        #expect(issues.count == 1_000)
        #expect(issues[0]["message"].string == "issue 1099")
    }
}
#endif
