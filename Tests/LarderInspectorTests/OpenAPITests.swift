#if Inspector
import Foundation
import LarderCore
import Testing

@testable import LarderInspector

/// The document that describes the API, compared with what the API answers.
@Suite struct OpenAPITests {
    private let document: OpenAPIDocument

    init() throws { document = OpenAPIDocument(try Self.parsed.get()) }

    private static let parsed = Result {
        let text = PageAsset.all.first { $0.name == "openapi.json" }?.text ?? ""
        return try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }

    @Test func documentIsServed() async throws {
        #expect(try await (try InspectorFixture(StubInstance())).get("/openapi.json") == document.json)
    }

    @Test func routesAreThoseOfTheDocument() {
        let documented = document.json["paths"].members.flatMap { path, methods in
            methods.members.keys.map { "\($0.uppercased()) \(path)" }
        }
        #expect(documented.sorted() == Route.all.map { "\($0.method) \($0.path)" }.sorted())
    }

    @Test(arguments: Route.all)
    func parametersAreThoseOfTheDocument(_ route: Route) {
        let operation = document.json["paths"][route.path][route.method.lowercased()]
        let parameters = operation["parameters"].elements
        let query = parameters.filter { $0["in"].string == "query" }.map { $0["name"].string }
        #expect(query.sorted() == route.parameters.sorted())
        let path = parameters.filter { $0["in"].string == "path" }.map { "{\($0["name"].string)}" }
        #expect(
            path.sorted() == route.path.split(separator: "/").filter { $0.hasPrefix("{") }.map(String.init).sorted()
        )
        for status in ["400", "401", "403", "404", "405", "413", "429", "500", "503"] {
            #expect(operation["responses"][status].has)
        }
    }

    @Test func answersContainEveryFieldOfTheDocumentAndNoOther() async throws {
        let fixture = try InspectorFixture(OpenAPITests.everything)
        try await check(fixture, "/api/instances", "Instances")
        try await check(fixture, "/api/instances/1", "Instance")
        for query in ["", "?limit=1"] { try await check(fixture, "/api/instances/1/rows\(query)", "Rows") }
        for key in ["full", "data", "token", "long", "json"] {
            try await check(fixture, "/api/instances/1/record?key=\(key)", "Record")
        }
        try await check(fixture, "/api/instances/1/plan", "Plan")
        try await check(fixture, "/api/instances/1/statistics", "Statistics")
        try await check(fixture, "/api/instances/1/reports", "Reports")
        let started = await fixture.send("POST", "/api/instances/1/actions/verify")
        document.check(try started.json, "RunStarted")
        _ = try await fixture.ended("1")
        try await check(fixture, "/api/runs/1", "Run")
        fixture.api.issues.add(
            LarderIssue(.degraded, "m", underlying: StoreError(.busy, "b")),
            fixture.api.instances[0]
        )
        try await check(fixture, "/api/issues", "Issues")
        document.check(try await fixture.send("GET", "/api/none").json, "Error")
        document.check(try await fixture.send("GET", "/api/instances/1/rows?filter=wrong").json, "Error")
        let buffer = ChangeBuffer(instance: "1")
        buffer.add(.changes([InspectionChange(table: "t", key: "k", kind: .updated, old: 1)], origin: "o"))
        let events: [(String, InspectorEvent)] = [
            ("HelloEvent", .hello(isLive: true)),
            ("StatisticsEvent", .statistics(instance: "1", [InspectionStatistic("s", 1)])),
            ("ChangesEvent", .changes(try #require(buffer.take(at: "2026-11-28T00:00:00Z")))),
        ]
        for (schema, event) in events {
            let lines = String(decoding: event.bytes, as: UTF8.self).components(separatedBy: "\n")
            document.check(try JSONDecoder().decode(JSONValue.self, from: Data(lines[1].dropFirst(6).utf8)), schema)
        }
        #expect(document.unseen == [])
    }

    private func check(_ fixture: InspectorFixture, _ target: String, _ schema: String) async throws {
        document.check(try await fixture.get(target), schema)
    }

    @Test func assetsOfTheProgramAreTheFilesOfTheFolder() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .appending(path: "Sources/LarderInspector")
        let folder = sources.appending(path: "Page/Assets")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0 != "inspector.html" }
        #expect(
            PageAsset.all.map(\.name).sorted() == (names + ["openapi.json"]).sorted(),
            "Run Scripts/inspector-assets.sh."
        )
        for asset in PageAsset.all {
            let file =
                asset.name == "openapi.json"
                ? sources.appending(path: "API/openapi.json") : folder.appending(path: asset.name)
            #expect(try asset.text == String(contentsOf: file, encoding: .utf8), "Run Scripts/inspector-assets.sh.")
        }
        #expect(try PageAsset.html == String(contentsOf: folder.appending(path: "inspector.html"), encoding: .utf8))
    }

    @Test func pageContainsItsTitleEscaped() throws {
        let answer = try Page(title: "<b>&").answer(InspectorRequest("GET", "/", host: nil))
        #expect(try answer.text.contains("&lt;b&gt;&amp;"))
        #expect(try !answer.text.contains("{{"))
    }

    /// An instance whose answers contain every field.
    private static let everything = StubInstance { content in
        let relationship = InspectionRelationship(
            "r",
            destination: "entries",
            isToMany: false,
            inverse: "i",
            deletionRule: "cascade"
        )
        content.tables = [
            InspectionTable(
                name: "entries",
                count: 1,
                columns: [InspectionColumn("value", type: "any")],
                relationships: [relationship, InspectionRelationship("s", destination: "entries", isToMany: true)],
                indexes: [InspectionIndex("i", columns: ["value"], isUnique: true, bytes: 5)],
                bytes: 7
            )
        ]
        let list = Data(#"<plist version="1.0"><string>a</string></plist>"#.utf8)
        content.records = [
            InspectionRecord(
                key: "full",
                values: [.int(.max)],
                related: ["r": "1"],
                counts: ["s": 2],
                expiry: 5,
                problem: "p"
            ),
            InspectionRecord(key: "data", values: [.data(list)]),
            InspectionRecord(key: "token", values: ["secret"]),
            InspectionRecord(key: "json", values: [#"{"token": "t"}"#]),
            InspectionRecord(key: "long", values: [.string(String(repeating: "x", count: 2_000_000))]),
        ]
        content.plan = InspectionPlan(statement: "SELECT", steps: ["SCAN"], advice: ["Add an index."])
        content.statistics = [InspectionStatistic("s", 1.5, .gauge, .bytes)]
        content.reports = [InspectionReport("t", note: "n", columns: [InspectionColumn("c", type: "d")], rows: [[1]])]
        content.actions = [InspectionAction("verify", "e", fileName: "f", isWriting: true)]
        content.perform = { file, progress in
            try progress(StoreProgress(completed: 1, total: 2))
            if let file { try Data().write(to: URL(filePath: file)) }
            return [InspectionFact("n", "v")]
        }
    }
}

/// The schemas of an OpenAPI document, and the properties that answers have contained.
private final class OpenAPIDocument {
    let json: JSONValue
    private var seen: Set<String> = []

    init(_ json: JSONValue) { self.json = json }

    /// The properties that no answer has contained.
    var unseen: [String] {
        json["components"]["schemas"].members.flatMap { name, schema in
            schema["properties"].members.keys.map { "\(name).\($0)" }
        }.filter { !seen.contains($0) }.sorted()
    }

    /// Checks a value against a named schema.
    func check(_ value: JSONValue, _ name: String) {
        check(value, json["components"]["schemas"][name], name)
    }

    private func check(_ value: JSONValue, _ schema: JSONValue, _ place: String) {
        if schema["$ref"].has {
            return check(value, schema["$ref"].string.components(separatedBy: "/").last ?? "")
        }
        if schema["anyOf"].has {
            guard value.has, let other = schema["anyOf"].elements.first(where: { $0["type"] != .string("null") }) else {
                return
            }
            return check(value, other, place)
        }
        let types = schema["type"].elements.isEmpty ? [schema["type"]] : schema["type"].elements
        if types[0].has { #expect(types.contains(.string(Self.type(of: value, types))), "\(place): \(value)") }
        if schema["enum"].has { #expect(schema["enum"].elements.contains(value), "\(place): \(value)") }
        for element in value.elements { check(element, schema["items"], place + "[]") }
        let properties = schema["properties"].members
        for name in schema["required"].elements.map(\.string) {
            #expect(value.members.keys.contains(name), "\(place).\(name) is missing")
        }
        for (name, member) in value.members {
            if let property = properties[name] {
                seen.insert("\(place).\(name)")
                check(member, property, "\(place).\(name)")
            } else if schema["additionalProperties"] == .bool(false) {
                Issue.record("\(place).\(name) is not in the document")
            } else {
                check(member, schema["additionalProperties"], "\(place).*")
            }
        }
    }

    private static func type(of value: JSONValue, _ allowed: [JSONValue]) -> String {
        switch value {
        case .null: "null"
        case .bool: "boolean"
        case .number(let number):
            allowed.contains(.string("integer")) && number.rounded() == number ? "integer" : "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
#endif
