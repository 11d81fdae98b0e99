#if Inspector
import Foundation
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderInspector

/// The API over instances that a test gives it.
struct InspectorFixture {
    let api: InspectorAPI

    init(_ instances: any Inspectable..., time: any TimeSource = .system) throws {
        var settings = InspectorAPI.Settings()
        settings.notes = ["A note."]
        api = try InspectorAPI(InspectedInstance.numbered(instances, isProgram: true), settings, time)
    }

    /// Sends a request with the token.
    func send(_ method: String = "GET", _ target: String) async -> InspectorAnswer {
        await api.answer(request(method, target))
    }

    func request(_ method: String = "GET", _ target: String) -> InspectorRequest {
        InspectorRequest(method, target, host: "127.0.0.1:1", headers: [("Larder-Token", api.token)])
    }

    /// Returns the JSON of the answer to a request, which must succeed.
    func get(_ target: String) async throws -> JSONValue {
        let answer = await send("GET", target)
        #expect(answer.status == 200, "\(target): \(answer.failure ?? "")")
        return try answer.json
    }

    /// Starts an action, waits until it has ended, and returns its last state.
    func run(_ action: String) async throws -> JSONValue {
        let started = await send("POST", "/api/instances/1/actions/\(action)")
        #expect(started.status == 202)
        let id = try started.json["run"].string
        return try await ended(id)
    }

    func ended(_ id: String) async throws -> JSONValue {
        try await waitUntil { api.runs.all().first { $0.id == id }?.state != .running }
        return try await get("/api/runs/\(id)")
    }
}

extension InspectorAnswer {
    /// All bytes of the body.
    var bytes: [UInt8] {
        get throws {
            switch body {
            case .bytes(let bytes): return bytes
            case .pieces(let next):
                var bytes: [UInt8] = []
                while let piece = try next() { bytes += piece }
                return bytes
            case .events(let stream): return stream.take()
            }
        }
    }

    var text: String { get throws { String(decoding: try bytes, as: UTF8.self) } }

    var json: JSONValue { get throws { try JSONDecoder().decode(JSONValue.self, from: Data(bytes)) } }
}

/// Parsed JSON.
enum JSONValue: Decodable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    subscript(name: String) -> JSONValue {
        if case .object(let members) = self { members[name] ?? .null } else { .null }
    }

    subscript(index: Int) -> JSONValue {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { .null }
    }

    var string: String { if case .string(let text) = self { text } else { "" } }
    var number: Double? { if case .number(let number) = self { number } else { nil } }
    var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
    var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }
    var has: Bool { self != .null }
}
#endif
