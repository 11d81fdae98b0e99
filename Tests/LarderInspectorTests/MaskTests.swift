#if Inspector
import Foundation
import LarderCore
import Testing

@testable import LarderInspector

/// What is masked beside whole values, and what reveals it.
@Suite struct MaskTests {
    @Test(arguments: [
        (#"{"password": "hunter2", "name": "Ada"}"#, #"{"password": "(masked)", "name": "Ada"}"#),
        (#"[{"a":1},{"apiKey":{"x":["}"]},"b":2}]"#, #"[{"a":1},{"apiKey":"(masked)","b":2}]"#),
        (#" {"pin":1234}"#, #" {"pin":"(masked)"}"#),
        (#"{"token":"a\"b","n":1}"#, #"{"token":"(masked)","n":1}"#),
        (#"{"token":"cut off"#, #"{"token":"(masked)""#),
        (#"{"token": "#, nil), (#"{"token":null}"#, nil), (#"{"name":"token"}"#, nil), (#"["token"]"#, nil),
        ("", nil), ("{", nil), ("{\"", nil), ("token: x", nil), (#"{"token""#, nil), (#"{"":1}"#, nil),
    ])
    func membersOfJSONTextAreMasked(_ text: String, _ masked: String?) {
        #expect(MaskedJSON.text(text) == masked)
        #expect(MaskedJSON.bytes(Array(text.utf8)) == masked.map { Array($0.utf8) })
    }

    private let stub = StubInstance { content in
        content.tables = [
            InspectionTable(
                name: "User",
                columns: ["password", "apiToken", "settings", "picture"].map { InspectionColumn($0, type: "any") }
            )
        ]
        content.role = .objects
        content.records = [
            InspectionRecord(
                key: "1",
                values: [
                    "hunter2", "sk_live", #"{"secret": "hunter3", "theme": "dark"}"#,
                    .data(Data(#"{"secret": "hunter4"}"#.utf8)),
                ]
            )
        ]
    }

    @Test func onlyTheNamedColumnsAreRevealed() async throws {
        let fixture = try InspectorFixture(stub)
        let record = try await fixture.get("/api/instances/1/record?key=1&reveal=password")["values"]
        #expect(record[0]["value"].string == "hunter2")
        #expect(record[1]["isMasked"] == .bool(true))
        #expect(record[2]["value"].string == #"{"secret": "(masked)", "theme": "dark"}"#)
        #expect(record[2]["hasMasked"] == .bool(true))
        #expect(record[3]["hasMasked"] == .bool(true))
        let both = try await fixture.get("/api/instances/1/record?key=1&reveal=settings,apiToken")["values"]
        #expect(both[0]["isMasked"] == .bool(true))
        #expect(both[1]["value"].string == "sk_live")
        #expect(both[2]["value"].string == #"{"secret": "hunter3", "theme": "dark"}"#)
        #expect(!both[2]["hasMasked"].has)
    }

    @Test func unknownColumnCannotBeRevealed() async throws {
        let fixture = try InspectorFixture(stub)
        for list in ["true", "password,", "password,other"] {
            #expect(await fixture.send("GET", "/api/instances/1/record?key=1&reveal=\(list)").status == 400)
        }
        #expect(await fixture.send("GET", "/api/instances/1/record?key=1&reveal=").status == 200)
    }

    @Test func partsAreMaskedInDownloadsAndExportsToo() async throws {
        let fixture = try InspectorFixture(stub)
        for target in [
            "rows?", "record?key=1", "value?key=1&column=settings", "value?key=1&column=picture", "export?format=csv",
            "export?format=json",
        ] {
            let text = try await fixture.send("GET", "/api/instances/1/\(target)").text
            for secret in ["hunter", Data(#"{"secret": "hunter4"}"#.utf8).base64EncodedString()] {
                #expect(!text.contains(secret), "\(target)")
            }
        }
        let value = try await fixture.send("GET", "/api/instances/1/value?key=1&column=picture&reveal=picture").text
        #expect(value == #"{"secret": "hunter4"}"#)
        let export = try await fixture.send("GET", "/api/instances/1/export?format=csv&reveal=settings").text
        #expect(export.contains("hunter3"))
        #expect(!export.contains("hunter2"))
    }

    @Test func nestedSecretIsNoted() async throws {
        let fixture = try InspectorFixture(
            StubInstance { $0.records = [InspectionRecord(key: "user", values: [["a": ["token": "hunter2"]]])] }
        )
        let value = try await fixture.get("/api/instances/1/record?key=user")["values"][0]
        #expect(value["hasMasked"] == .bool(true))
        #expect(value["value"]["a"]["value"]["token"]["isMasked"] == .bool(true))
        #expect(!value["value"]["a"]["hasMasked"].has)
    }

    @Test func keyOfAViewIsThatOfTheStoreBehindIt() async throws {
        let fixture = try InspectorFixture(
            StubInstance { content in
                content.tables = [
                    InspectionTable(
                        name: "entries",
                        columns: [InspectionColumn("value", type: "any")],
                        keyPrefix: "secrets."
                    )
                ]
                content.records = [InspectionRecord(key: "github", values: ["hunter2"])]
            }
        )
        #expect(try await !fixture.send("GET", "/api/instances/1/rows").text.contains("hunter2"))
        let buffer = ChangeBuffer(instance: "1")
        buffer.setKeyPrefix(try fixture.api.instances[0].keyPrefix())
        buffer.add(
            .changes([InspectionChange(table: "entries", key: "github", kind: .updated, new: "hunter2")], origin: "o")
        )
        var json = JSONText()
        json.changes(try #require(buffer.take(at: "")))
        #expect(!String(decoding: json.bytes, as: UTF8.self).contains("hunter2"))
    }

    @Test func cutValueHasItsTrueSize() async throws {
        let cut = InspectionRecord(key: "k", values: ["begin"], sizes: [0: 1_000_000])
        let fixture = try InspectorFixture(StubInstance { $0.records = [cut] })
        let value = try await fixture.get("/api/instances/1/rows")["records"][0]["values"][0]
        #expect(value["value"].string == "begin")
        #expect(value["isCut"] == .bool(true))
        #expect(value["size"] == .number(1_000_000))
    }
}
#endif
