#if Inspector
import Dispatch
import Foundation
import LarderCore
import LarderInspector
import Synchronization

enum InspectorBenchmarkError: Error { case wrongAnswer(String) }

/// An inspector that runs in this program, and a client of it.
final class InspectedProgram: Sendable {
    private let task: Task<Void, any Error>
    private let port: Int
    private let token: String
    private let page = Mutex<RawConnection?>(nil)

    /// Starts an inspector of a store.
    init(_ store: any KeyValueStore) throws {
        let address = Mutex("")
        let isListening = DispatchSemaphore(value: 0)
        var options = InspectorOptions()
        options.onListening = { text in
            address.withLock { $0 = text }
            isListening.signal()
        }
        let inspector = try Inspector(stores: [store], options: options)
        task = Task.detached { try await inspector.run() }
        isListening.wait()
        let parts = address.withLock(\.self).split(separator: "#token=")
        guard parts.count == 2, let port = Int(parts[0].dropLast().split(separator: ":").last ?? "") else {
            throw InspectorBenchmarkError.wrongAnswer(address.withLock(\.self))
        }
        self.port = port
        token = String(parts[1])
    }

    deinit { task.cancel() }

    /// Follows the events, like an open page, and returns when it has received a change that `change` makes.
    func openPage(changing change: () throws -> Void) throws {
        let connection = try RawConnection(port: port)
        connection.send("GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nLarder-Token: \(token)\r\n\r\n")
        _ = connection.receive(until: "event: hello")
        try change()
        guard connection.receive(until: "event: changes").contains("event: changes") else {
            throw InspectorBenchmarkError.wrongAnswer("The change was not shown.")
        }
        page.withLock { $0 = connection }
        Thread.detachNewThread { while !connection.receive(until: "\n").isEmpty {} }
    }

    private struct Rows: Decodable {
        struct Record: Decodable {
            let key: String
        }
        let records: [Record]
        let next: String?
    }

    /// Reads a page of the store's table, and returns the keys and where the next page begins.
    func rows(_ parameters: String) throws -> (keys: [String], next: String?) {
        let answer = try RawConnection(port: port).get(
            "/api/instances/1/rows?\(parameters)",
            ["Larder-Token: \(token)"]
        )
        guard answer.hasPrefix("HTTP/1.1 200 "), let body = answer.range(of: "\r\n\r\n") else {
            throw InspectorBenchmarkError.wrongAnswer(answer)
        }
        let rows = try JSONDecoder().decode(Rows.self, from: Data(answer[body.upperBound...].utf8))
        return (rows.records.map(\.key), rows.next)
    }
}
#endif
