#if Inspector
import Foundation
import LarderCore
import Testing

@testable import LarderInspector

/// What is masked of property lists and archives that are stored as data.
@Suite struct PropertyListMaskTests {
    private static let encodings: [PropertyListDocument.Encoding] = [.xml, .binary]
    private static let secret = StoredValue.dictionary(["theme": "dark", "account": ["password": "hunter2"]])

    private func fixture(_ value: StoredValue) throws -> InspectorFixture {
        try InspectorFixture(StubInstance { $0.records = [InspectionRecord(key: "settings", values: [value])] })
    }

    private func data(_ value: StoredValue, _ encoding: PropertyListDocument.Encoding) -> Data {
        Data(PropertyListDocument.bytes(ofRoot: value, as: encoding))
    }

    /// Returns whether an answer contains "hunter2", as text or as data.
    private func isLeaked(_ answer: InspectorAnswer) throws -> Bool {
        let text = try answer.text
        if text.contains("hunter2") { return true }
        return text.split(whereSeparator: { "\",\r\n".contains($0) }).contains { part in
            Data(base64Encoded: String(part)).map { String(decoding: $0, as: UTF8.self).contains("hunter2") } ?? false
        }
    }

    @Test(arguments: encodings)
    func bytesOfAPropertyListWithASecretAreWithheld(_ encoding: PropertyListDocument.Encoding) async throws {
        let bytes = data(Self.secret, encoding)
        for value in [.data(bytes), ["nested": .data(bytes)], [.data(bytes)]] as [StoredValue] {
            let fixture = try fixture(value)
            for target in ["rows?", "record?key=settings", "export?format=csv", "export?format=json"] {
                let answer = await fixture.send("GET", "/api/instances/1/\(target)")
                #expect(answer.status == 200)
                #expect(try !isLeaked(answer), "\(target)")
            }
            #expect(try !isLeaked(await fixture.send("GET", "/api/instances/1/value?key=settings")))
            let revealed = await fixture.send("GET", "/api/instances/1/record?key=settings&reveal=value")
            #expect(try isLeaked(revealed))
        }
        #expect(try await fixture(.data(bytes)).send("GET", "/api/instances/1/value?key=settings").status == 400)
    }

    @Test(arguments: encodings)
    func maskedContentOfAPropertyListIsShown(_ encoding: PropertyListDocument.Encoding) async throws {
        let bytes = data(Self.secret, encoding)
        let value = try await fixture(.data(bytes)).get("/api/instances/1/record?key=settings")["values"][0]
        #expect(value["isMasked"] == .bool(true))
        #expect(value["size"] == .number(Double(bytes.count)))
        #expect(!value["value"].has && !value["hasMasked"].has)
        #expect(value["preview"]["format"].string == "property list")
        let content = value["preview"]["value"]["value"]
        #expect(content["theme"]["value"].string == "dark")
        #expect(content["account"]["value"]["password"]["isMasked"] == .bool(true))
    }

    @Test(arguments: encodings)
    func propertyListWithoutSecretsIsWhole(_ encoding: PropertyListDocument.Encoding) async throws {
        let bytes = data(["theme": "dark"], encoding)
        let value = try await fixture(.data(bytes)).get("/api/instances/1/record?key=settings")["values"][0]
        #expect(value["value"].string == bytes.base64EncodedString())
        #expect(value["preview"]["value"]["value"]["theme"]["value"].string == "dark")
        #expect(!value["isMasked"].has && !value["hasMasked"].has)
    }

    @Test func archiveWithASecretIsMaskedWithItsContent() async throws {
        let archive: StoredValue = [
            "$archiver": "NSKeyedArchiver", "$version": 100_000, "$top": ["root": ["CF$UID": 1]],
            "$objects": ["$null", ["password": ["CF$UID": 2]], "hunter2"],
        ]
        let fixture = try fixture(.data(data(archive, .binary)))
        let answer = await fixture.send("GET", "/api/instances/1/record?key=settings")
        #expect(try !isLeaked(answer))
        let value = try answer.json["values"][0]
        #expect(value["isMasked"] == .bool(true))
        #expect(value["preview"] == .object(["format": .string("archive")]))
    }

    @Test(arguments: encodings)
    func cutPropertyListShowsNothingOfItsContent(_ encoding: PropertyListDocument.Encoding) async throws {
        let long = StoredValue.dictionary([
            "password": "hunter2", "text": .string(String(repeating: "x", count: 90_000)),
        ])
        let bytes = data(long, encoding)
        let cut = InspectionRecord(key: "settings", values: [.data(bytes.prefix(4_096))], sizes: [0: bytes.count])
        let fixture = try InspectorFixture(StubInstance { $0.records = [cut] })
        let answer = await fixture.send("GET", "/api/instances/1/rows")
        #expect(try !isLeaked(answer))
        let value = try answer.json["records"][0]["values"][0]
        #expect(value["value"].string == bytes.prefix(8).base64EncodedString())
        #expect(value["isCut"] == .bool(true))
        #expect(value["size"] == .number(Double(bytes.count)))
        let buffer = ChangeBuffer(instance: "1")
        let change = InspectionChange(table: "entries", key: "settings", kind: .updated, new: .data(bytes))
        buffer.add(.changes([change], origin: "o"))
        var json = JSONText()
        json.changes(try #require(buffer.take(at: "")))
        #expect(try !isLeaked(InspectorAnswer(json: json)))
    }

    @Test func textOfAPropertyListWithASecretIsMasked() async throws {
        let text = String(decoding: data(Self.secret, .xml), as: UTF8.self)
        let fixture = try fixture(.string(text))
        for target in ["rows?", "record?key=settings", "value?key=settings", "export?format=csv"] {
            #expect(try !isLeaked(await fixture.send("GET", "/api/instances/1/\(target)")), "\(target)")
        }
    }

    @Test func otherXMLIsWhole() async throws {
        let text = #"<?xml version="1.0"?><html><body>text</body></html>"#
        let value = try await fixture(.data(Data(text.utf8))).get("/api/instances/1/record?key=settings")["values"][0]
        #expect(value["value"].string == Data(text.utf8).base64EncodedString())
        let long = text + String(repeating: " ", count: 100_000)
        let cell = try await fixture(.string(long)).get("/api/instances/1/rows")["records"][0]["values"][0]
        #expect(cell["value"].string.hasPrefix(text))
    }
}
#endif
