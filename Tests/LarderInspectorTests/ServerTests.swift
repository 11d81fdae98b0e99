#if Inspector
import Foundation
import LarderCore
import LarderFiles
import LarderTestSupport
import Logging
import ServiceLifecycle
import Synchronization
import Testing

@testable import LarderInspector

/// The server on a real connection.
@Suite struct ServerTests {
    /// Runs an inspector, calls a body with its port and token on a thread that may block, and shuts the inspector down.
    private func withServer(
        _ stub: StubInstance = StubInstance(),
        _ options: InspectorOptions = InspectorOptions(),
        _ body: @escaping @Sendable (Int, String) throws -> Void
    ) async throws {
        let inspector = try Inspector(objects: [stub], options: options)
        #expect(inspector.address == nil)
        let services = ServiceGroup(services: [inspector], logger: Logger(label: "test"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            try await waitUntil { inspector.address != nil }
            let address = try #require(inspector.address.flatMap { URL(string: $0) })
            let (port, token) = try (#require(address.port), #require(address.fragment?.dropFirst("token=".count)))
            do {
                try await withBlockingWork { try body(port, String(token)) }
            } catch {
                Issue.record(error)
            }
            await services.triggerGracefulShutdown()
            try await group.waitForAll()
        }
        #expect(inspector.address == nil)
        await #expect(throws: InspectorError.self) { try await inspector.run() }
    }

    @Test func pageAndDataAreServed() async throws {
        try await withServer { port, token in
            let page = try RawConnection(port: port).get("/")
            #expect(page.hasPrefix("HTTP/1.1 200"))
            #expect(page.contains("<title>Larder</title>"))
            #expect(page.lowercased().contains("content-security-policy: default-src 'none'"))
            let data = try RawConnection(port: port).get("/api/instances", ["Larder-Token: \(token)"])
            #expect(data.contains("\"kind\":\"stub store\""))
            #expect(try RawConnection(port: port).get("/api/instances").hasPrefix("HTTP/1.1 401"))
            #expect(
                try RawConnection(port: port).get("/api/instances", ["larder-token: \(token)"]).hasPrefix(
                    "HTTP/1.1 200"
                )
            )
            let rebound = try RawConnection(port: port)
            rebound.send(
                "GET /api/instances HTTP/1.1\r\nHost: evil.example\r\nLarder-Token: \(token)\r\nConnection: close\r\n\r\n"
            )
            #expect(rebound.receive().hasPrefix("HTTP/1.1 403"))
            let none = try RawConnection(port: port)
            none.send("GET / HTTP/1.0\r\nConnection: close\r\n\r\n")
            #expect(!none.receive().contains("200 OK"))
        }
    }

    @Test func answerToHeadHasNoBody() async throws {
        try await withServer { port, _ in
            let answer = try RawConnection(port: port).get("/", method: "HEAD")
            #expect(answer.hasPrefix("HTTP/1.1 405"))
            #expect(answer.hasSuffix("\r\n\r\n"))
        }
    }

    @Test func eventsAreStreamedAndEndWithTheServer() async throws {
        let stub = StubInstance()
        let received = Mutex("")
        try await withServer(stub) { port, token in
            let page = try RawConnection(port: port)
            page.send("GET /api/events HTTP/1.1\r\nHost: localhost\r\nLarder-Token: \(token)\r\n\r\n")
            #expect(page.receive(until: "event: hello").contains("text/event-stream"))
            try blockUntil { stub.observerCount == 1 }
            stub.emit("theKey", 1)
            #expect(page.receive(until: "event: changes\n").contains("event: changes"))
            // The connection ends when the server does.
            Thread { received.withLock { $0 = page.receive() + "end" } }.start()
        }
        try await waitUntil { received.withLock(\.self).hasSuffix("end") }
        try await waitUntil { stub.observerCount == 0 }
    }

    @Test func closedPageIsNoticed() async throws {
        let stub = StubInstance()
        try await withServer(stub) { port, token in
            do {
                let page = try RawConnection(port: port)
                page.send("GET /api/events HTTP/1.1\r\nHost: localhost\r\nLarder-Token: \(token)\r\n\r\n")
                _ = page.receive(until: "event: hello")
                try blockUntil { stub.observerCount == 1 }
            }
            try blockUntil { stub.observerCount == 0 }
        }
    }

    @Test func exportIsSentInPieces() async throws {
        let stub = StubInstance { $0.records = (0..<2_000).map { InspectionRecord(key: "key\($0)", values: [1]) } }
        try await withServer(stub) { port, token in
            let answer = try RawConnection(port: port).get(
                "/api/instances/1/export?format=csv",
                ["Larder-Token: \(token)"]
            )
            #expect(answer.lowercased().contains("transfer-encoding: chunked"))
            #expect(answer.contains("key1999,1\r\n"))
            #expect(answer.hasSuffix("0\r\n\r\n"))
        }
    }

    @Test func connectionsAboveTheLimitAreClosed() async throws {
        var options = InspectorOptions()
        options.maximumConnections = 20
        try await withServer(StubInstance(), options) { port, token in
            var connections: [RawConnection] = []
            for _ in 0..<1_000 { connections.append(try RawConnection(port: port)) }
            // All stay open, so that no connection takes the place of an earlier one.
            for connection in connections { connection.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n") }
            let answered = connections.count { $0.receive(until: "\r\n").hasPrefix("HTTP/1.1 200") }
            #expect((1...20).contains(answered))
            connections = []
            try blockUntil {
                try RawConnection(port: port).get("/api/instances", ["Larder-Token: \(token)"]).hasPrefix(
                    "HTTP/1.1 200"
                )
            }
        }
    }

    @Test(arguments: [
        "", "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\na",
    ])
    func slowClientIsDisconnected(_ beginning: String) async throws {
        var options = InspectorOptions()
        options.patience = .milliseconds(100)
        try await withServer(StubInstance(), options) { port, _ in
            let slow = try RawConnection(port: port)
            slow.send(beginning)
            // Without the limit, this would wait until the test fails.
            let answer = slow.receive()
            #expect(!answer.contains("200 OK"))
            // On a busy machine, an answer may take longer than this patience.
            try blockUntil { try RawConnection(port: port).get("/").hasPrefix("HTTP/1.1 200") }
        }
    }

    @Test func clientThatDoesNotReadIsDisconnected() async throws {
        var options = InspectorOptions()
        options.patience = .milliseconds(100)
        let stub = StubInstance { content in
            content.actions = [InspectionAction("backup", "Copies everything.", fileName: "copy")]
            content.perform = { file, _ in
                try Data(count: 30_000_000).write(to: URL(filePath: file ?? ""))
                return []
            }
        }
        try await withServer(stub, options) { port, token in
            let headers = ["Larder-Token: \(token)"]
            _ = try RawConnection(port: port).get("/api/instances/1/actions/backup", headers, method: "POST")
            try blockUntil { try RawConnection(port: port).get("/api/runs/1", headers).contains("\"done\"") }
            let slow = try RawConnection(port: port)
            slow.send("GET /api/runs/1/file HTTP/1.1\r\nHost: localhost\r\nLarder-Token: \(token)\r\n\r\n")
            // Sending fails once the server has closed the connection.
            try blockUntil { !slow.send("x") }
        }
    }

    @Test func largeRequestIsRefused() async throws {
        try await withServer { port, _ in
            let large = String(repeating: "a", count: 200_000)
            for request in [
                "GET /\(large) HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: localhost\r\nX-Large: \(large)\r\n\r\n",
                "POST /api/issues HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000000\r\n\r\n" + large + large
                    + large,
                "\(large)",
            ] {
                let connection = try RawConnection(port: port)
                connection.send(request)
                #expect(!connection.receive().contains("200 OK"))
            }
            #expect(try RawConnection(port: port).get("/").hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test func refusalsOfTheServerAreThoseOfTheAPI() async throws {
        try await withServer { port, _ in
            let headers = (0..<200).map { "X-\($0): a\r\n" }.joined()
            for request in [
                // Not much more than the limit, because what is not read could discard the answer.
                "GET /\(String(repeating: "a", count: 98_304))",
                "GET / HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n",
            ] {
                let connection = try RawConnection(port: port)
                connection.send(request)
                let answer = connection.receive()
                let isTooLarge = answer.hasPrefix("HTTP/1.1 413 ") && answer.contains(#""code":"tooLarge""#)
                let isInvalid = answer.hasPrefix("HTTP/1.1 400 ") && answer.contains(#""code":"invalidRequest""#)
                #expect(isTooLarge || isInvalid)
                #expect(answer.contains("Content-Security-Policy: default-src 'none'"))
            }
        }
    }

    @Test func largeValueIsSentInPieces() async throws {
        let large = StoredValue.data(Data(repeating: 0x61, count: 5_000_001))
        let stub = StubInstance { $0.records = [InspectionRecord(key: "k", values: [large])] }
        try await withServer(stub) { port, token in
            let connection = try RawConnection(port: port)
            for _ in 0..<2 {
                connection.send(
                    "GET /api/instances/1/value?key=k HTTP/1.1\r\nHost: localhost\r\nLarder-Token: \(token)\r\n\r\n"
                )
                let answer = connection.receive(bodyOf: 5_000_001)
                #expect(answer.lowercased().contains("content-length: 5000001\r\n"))
                #expect(answer.hasSuffix("aaaaaaaaaa"))
            }
        }
    }

    @Test(arguments: [
        "GET / HTTP/9.9\r\n\r\n", "\0\0\0\0\r\n\r\n", "GET\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nbad header\r\n\r\n",
    ])
    func malformedRequestDoesNotDisturbTheServer(_ request: String) async throws {
        try await withServer { port, _ in
            let connection = try RawConnection(port: port)
            connection.send(request)
            #expect(!connection.receive().contains("200 OK"))
            #expect(try RawConnection(port: port).get("/").hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test func portInUseIsReported() async throws {
        try await withServer { port, _ in
            var options = InspectorOptions()
            options.port = port
            let second = try Inspector(options: options)
            let failure = Mutex<(any Error)?>(nil)
            let ended = ThreadSemaphore()
            Task {
                do { try await second.run() } catch { failure.withLock { $0 = error } }
                ended.signal()
            }
            ended.wait()
            #expect((failure.withLock(\.self) as? InspectorError)?.code == .notListening)
        }
    }

    @Test func otherAddressesNeedACertificateAndPermission() throws {
        for host in [
            "0.0.0.0", "192.168.1.1", "::", "host.example", "127.a.example.com", "127.0.0.256", "127.0.0.+1", "127.0.0",
        ] {
            var options = InspectorOptions()
            options.host = host
            #expect(throws: InspectorError.self) { try Inspector(options: options) }
            options.allowsNetwork = true
            #expect(throws: InspectorError.self) { try Inspector(options: options) }
            options.certificate = InspectorCertificate(chain: "/none", privateKey: "/none")
            #expect(throws: Never.self) { try Inspector(options: options) }
            options.allowsNetwork = false
            #expect(throws: InspectorError.self) { try Inspector(options: options) }
        }
    }

    @Test func certificateWithTheKeyOfAnotherIsReported() async throws {
        let folder = try TemporaryDirectory()
        let certificate = try Certificate(in: folder)
        var options = InspectorOptions()
        options.certificate = InspectorCertificate(chain: certificate.chain, privateKey: certificate.otherKey)
        let inspector = try Inspector(options: options)
        let error = await #expect(throws: InspectorError.self) { try await inspector.run() }
        #expect(error?.code == .invalidCertificate)
    }

    @Test func addressHasTheNameInTheCertificate() async throws {
        let folder = try TemporaryDirectory()
        let certificate = try Certificate(in: folder)
        var options = InspectorOptions()
        options.certificate = InspectorCertificate(chain: certificate.chain, privateKey: certificate.key)
        for (names, expected) in [([], "https://box.example:"), (["other.example"], "https://other.example:")] {
            options.hostNames = names
            let inspector = try Inspector(options: options)
            let running = Task { try await inspector.run() }
            try await waitUntil { inspector.address != nil }
            #expect(inspector.address?.hasPrefix(expected) == true)
            running.cancel()
            _ = await running.result
        }
    }

    @Test func missingCertificateIsReported() async throws {
        var options = InspectorOptions()
        options.certificate = InspectorCertificate(chain: "/none/chain.pem", privateKey: "/none/key.pem")
        let inspector = try Inspector(options: options)
        let error = await #expect(throws: InspectorError.self) { try await inspector.run() }
        #expect(error?.code == .invalidCertificate)
        #expect(error?.message.contains("/none/chain.pem") == true)
    }

    @Test func wrongTokenOfAProgramIsRejected() {
        var options = InspectorOptions()
        options.token = "short"
        #expect(throws: InspectorError.self) { try Inspector(options: options) }
    }

    @Test func cancelledInspectorEnds() async throws {
        let inspector = try Inspector(objects: [StubInstance()])
        let running = Task { try await inspector.run() }
        try await waitUntil { inspector.address != nil }
        running.cancel()
        _ = await running.result
        #expect(inspector.address == nil)
    }
}
#endif
