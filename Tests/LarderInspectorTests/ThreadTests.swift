#if Inspector
import LarderCore
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

@testable import LarderInspector

/// The threads that read instances, and instances that do not answer.
@Suite struct ThreadTests {
    /// A door before which threads wait.
    private final class Door: Sendable {
        private let state = Mutex((isOpen: false, waiting: 0))

        var waiting: Int { state.withLock(\.waiting) }

        func wait() {
            state.withLock { $0.waiting += 1 }
            while !state.withLock(\.isOpen) { CurrentProcess.sleep(for: .milliseconds(1)) }
            state.withLock { $0.waiting -= 1 }
        }

        func open() { state.withLock { $0.isOpen = true } }
    }

    /// The statuses of the answers that have arrived.
    private final class Statuses: Sendable {
        private let list = Mutex<[Int]>([])

        var all: [Int] { list.withLock(\.self) }

        func add(_ status: Int) { list.withLock { $0.append(status) } }
    }

    private let door = Door()

    /// Returns an instance whose pages wait before the door.
    private func closed() -> StubInstance { StubInstance { [door] in $0.wait = { door.wait() } } }

    @Test func instanceThatHangsDoesNotStopOthers() async throws {
        defer { door.open() }
        let fixture = try InspectorFixture(closed(), StubInstance())
        let requests = (0..<20).map { _ in Task { await fixture.send("GET", "/api/instances/1/rows") } }
        try await waitUntil { door.waiting == 3 }
        #expect(await fixture.send("GET", "/api/instances/2/rows").status == 200)
        #expect(door.waiting == 3)
        door.open()
        for request in requests { #expect(await request.value.status == 200) }
    }

    @Test func requestsThatAreTooManyAreRefused() async throws {
        defer { door.open() }
        let fixture = try InspectorFixture(closed())
        let statuses = Statuses()
        let requests = (0..<40).map { _ in
            Task { statuses.add(await fixture.send("GET", "/api/instances/1/rows").status) }
        }
        // Three are answered, and 32 wait.
        try await waitUntil { statuses.all == [429, 429, 429, 429, 429] }
        door.open()
        for request in requests { await request.value }
        #expect(statuses.all.count { $0 == 200 } == 35)
    }

    @Test func cancelledRequestEndsAtOnceAndWaitingWorkDoesNotBegin() async throws {
        defer { door.open() }
        let threads = ReadingThreads(limit: 1, ofInstance: 1, maximumWaiting: 10)
        let running = Task { [door] in try await threads.run { door.wait() } }
        try await waitUntil { door.waiting == 1 }
        let begun = Statuses()
        let waiting = Task { try await threads.run { begun.add(1) } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
        door.open()
        #expect(try await threads.run { 5 } == 5)
        #expect(begun.all == [])
    }

    @Test func errorOfTheWorkIsThrown() async throws {
        let threads = ReadingThreads(limit: 2, ofInstance: 1, maximumWaiting: 10)
        await #expect(throws: StoreError.self) {
            try await threads.run { () throws -> Int in throw StoreError(.busy, "The store is in use. Try again.") }
        }
    }

    @Test func exportsThatAreTooManyAreRefused() async throws {
        let fixture = try InspectorFixture(StubInstance())
        var answers: [InspectorAnswer] = []
        for _ in 0..<4 { answers.append(await fixture.send("GET", "/api/instances/1/export?format=csv")) }
        #expect(await fixture.send("GET", "/api/instances/1/export?format=csv").status == 429)
        #expect(answers.allSatisfy { $0.status == 200 })
        answers = []
        #expect(await fixture.send("GET", "/api/instances/1/export?format=csv").status == 200)
    }

    @Test func tablesAreCountedForTheOverviewOnly() async throws {
        let stub = StubInstance { $0.records = [InspectionRecord(key: "k", values: [1])] }
        let fixture = try InspectorFixture(stub)
        for target in ["rows?", "record?key=k&", "value?key=k&", "export?format=csv&"] {
            #expect(await fixture.send("GET", "/api/instances/1/\(target)table=entries").status == 200)
        }
        #expect(stub.tableReads == 0)
        for _ in 0..<10 { _ = try await fixture.get("/api/instances/1") }
        #expect(stub.tableReads == 1)
    }

    @Test func tablesAskForBeginningsAndExportsForWholeValues() async throws {
        let stub = StubInstance()
        let fixture = try InspectorFixture(stub)
        _ = try await fixture.get("/api/instances/1/rows")
        #expect(stub.queries.last?.longestValue == 4_096)
        #expect(stub.queries.last?.bytes == 4 << 20)
        #expect(try await fixture.send("GET", "/api/instances/1/export?format=json").text == "[\n]\n")
        #expect(stub.queries.last?.longestValue == nil)
        #expect(stub.queries.last?.bytes == 4 << 20)
    }

    @Test func serverEndsAlthoughAThreadIsBlocked() async throws {
        defer { door.open() }
        let inspector = try Inspector(objects: [closed()])
        let running = Task { try await inspector.run() }
        try await waitUntil { inspector.address != nil }
        let address = try #require(inspector.address)
        let parts = address.split(separator: "/")[1].split(separator: ":")
        let port = try #require(Int(parts[1]))
        let token = address.suffix(32)
        let client = try RawConnection(port: port)
        client.send("GET /api/instances/1/rows HTTP/1.1\r\nHost: localhost\r\nLarder-Token: \(token)\r\n\r\n")
        try await waitUntil { door.waiting == 1 }
        running.cancel()
        _ = await running.result
        #expect(door.waiting == 1)
        withExtendedLifetime(client) {}
    }

    @Test func requestIsCancelledWhenItsClientGoes() async throws {
        defer { door.open() }
        let inspector = try Inspector(objects: [closed(), StubInstance()])
        let running = Task { try await inspector.run() }
        try await waitUntil { inspector.address != nil }
        let address = try #require(inspector.address)
        let port = try #require(Int(address.split(separator: "/")[1].split(separator: ":")[1]))
        let head = "Host: localhost\r\nLarder-Token: \(address.suffix(32))\r\n\r\n"
        do {
            var clients: [RawConnection] = []
            for _ in 0..<40 {
                let client = try RawConnection(port: port)
                client.send("GET /api/instances/1/rows HTTP/1.1\r\n" + head)
                clients.append(client)
            }
            try await waitUntil { door.waiting == 3 }
            withExtendedLifetime(clients) {}
        }
        // Those that waited are gone, so that another request finds a place.
        try await withBlockingWork {
            try blockUntil {
                let client = try RawConnection(port: port)
                client.send("GET /api/instances/2/rows HTTP/1.1\r\nConnection: close\r\n" + head)
                return client.receive().hasPrefix("HTTP/1.1 200")
            }
        }
        #expect(door.waiting == 3)
        running.cancel()
        _ = await running.result
    }
}
#endif
