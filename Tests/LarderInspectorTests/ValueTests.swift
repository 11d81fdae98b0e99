#if Inspector
import Foundation
import LarderCore
import Testing

@testable import LarderInspector

@Suite struct ValueTests {
    private func json(_ value: StoredValue, _ form: ValueForm = .cell, isSecret: Bool = false) throws -> JSONValue {
        var json = JSONText()
        json.value(value, form, isSecret: isSecret)
        return try JSONDecoder().decode(JSONValue.self, from: Data(json.bytes))
    }

    private func text(_ value: StoredValue) -> String {
        var json = JSONText()
        json.value(value, .cell)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    @Test func everyKindIsWrittenAsTheCommandWritesIt() {
        #expect(text(true) == #"{"type":"bool","value":true}"#)
        #expect(text(.int(-5)) == #"{"type":"int","value":-5}"#)
        #expect(text(.float(0.1)) == #"{"type":"float","value":0.1}"#)
        #expect(text(.double(3)) == #"{"type":"double","value":3}"#)
        #expect(text(.double(.nan)) == #"{"type":"double","value":"nan"}"#)
        #expect(text(.double(-.infinity)) == #"{"type":"double","value":"-inf"}"#)
        #expect(text(.url("https://a.example/")) == #"{"type":"url","value":"https://a.example/"}"#)
        #expect(
            text(.date(Date(timeIntervalSinceReferenceDate: 0.5)))
                == #"{"type":"date","value":"2001-01-01T00:00:00.5Z"}"#
        )
        #expect(text(.date(Date(timeIntervalSinceReferenceDate: 1e20))) == #"{"type":"date","value":"1e+20"}"#)
        #expect(
            text(["a", .null])
                == #"{"type":"array","value":[{"type":"string","value":"a"},{"type":"null","value":null}]}"#
        )
        #expect(text(["k": 1]) == #"{"type":"dictionary","value":{"k":{"type":"int","value":1}}}"#)
    }

    @Test func integersBeyondThePrecisionOfJavaScriptHaveTheirDigits() {
        #expect(text(.int(9_007_199_254_740_991)) == #"{"type":"int","value":9007199254740991}"#)
        #expect(text(.int(.min)).hasSuffix(#","text":"-9223372036854775808"}"#))
        #expect(text(.unsigned(.max)).hasSuffix(#","text":"18446744073709551615"}"#))
    }

    @Test func base64IsThatOfFoundation() {
        for count in 0..<50 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 200) }
            #expect(Base64.text(bytes) == Data(bytes).base64EncodedString())
        }
    }

    @Test(arguments: [
        "<script>alert(1)</script>", "</script><!--", "\u{2028}\u{2029}", "\u{202E}txt.exe", "\u{200F}\u{061C}\u{2066}",
        "\0\u{1}\u{1F}\u{7F}\u{85}",
        "\u{FEFF}\u{200B}\u{AD}", "\u{E0001}\u{10FFFF}", "\"\\/\n\r\t\u{8}", "&amp;", "👩‍👩‍👧 e\u{301}",
    ])
    func hostileTextIsEscapedAndReadBackExactly(_ hostile: String) throws {
        let written = text(.dictionary(StoredDictionary([(hostile, .string(hostile))])))
        for scalar in "<>&\u{2028}\u{2029}\u{202E}\u{200F}\u{7F}\u{0}\u{1F}\u{FEFF}\u{E0001}".unicodeScalars {
            #expect(!written.unicodeScalars.contains(scalar))
        }
        let object = try JSONSerialization.jsonObject(with: Data(written.utf8)) as? [String: Any]
        let members = object?["value"] as? [String: Any]
        #expect(members?.keys.first.map { Array($0.utf8) } == Array(hostile.utf8))
        let value = members?.values.first as? [String: Any]
        #expect((value?["value"] as? String).map { Array($0.utf8) } == Array(hostile.utf8))
    }

    @Test func longStringIsCutWithItsSize() throws {
        let long = String(repeating: "é", count: 1_100_000)
        let cell = try json(.string(long))
        #expect(cell["value"].string.count == 1_000)
        #expect(cell["size"] == .number(2_200_000))
        #expect(cell["isCut"] == .bool(true))
        let record = try json(.string(long), .record)
        #expect(record["value"].string.count == 1_000_000)
        let whole = try json(.string(String(repeating: "é", count: 1_000)))
        #expect(!whole["isCut"].has)
        #expect(!whole["size"].has)
    }

    @Test func characterOfManyScalarsIsCutToo() throws {
        let long = "e" + String(repeating: "\u{301}", count: 100_000)
        #expect(try json(.string(long))["value"].string.unicodeScalars.count == 1_000)
    }

    @Test func longDataAndCollectionsAreCut() throws {
        let data = try json(.data(Data(count: 5_000)))
        #expect(Data(base64Encoded: data["value"].string)?.count == 1_000)
        #expect(data["size"] == .number(5_000))
        let array = try json(.array(Array(repeating: .string("abc"), count: 100_000)))
        #expect((10...200).contains(array["value"].elements.count))
        #expect(array["size"] == .number(100_000))
        #expect(array["isCut"] == .bool(true))
        let key = String(repeating: "k", count: 2_000)
        let dictionary = try json(.dictionary([key: 1]))
        #expect(dictionary["value"] == .object([:]))
        #expect(dictionary["isCut"] == .bool(true))
    }

    @Test(arguments: [
        "token", "accessToken", "auth.token", "SECRET", "db_password", "userPassword2", "API-KEY", "apiKey", "api.key",
        "credentials",
        "sessionID", "session/17", "privateKey", "stripe.private", "jwt", "user.pin", "auth", "x-pwd", "cookie",
        "DBPwd", "PINCode", "db_pass", "masterKey", "aes.key", "SSHKey", "license_key", "connectionString",
        "DATABASE_URL",
        "mnemonic", "cardNumber", "accesstoken", "api_keys",
    ])
    func nameOfSecretIsRecognized(_ name: String) { #expect(SecretName.isSecret(name)) }

    @Test(arguments: [
        "", "name", "theme", "author", "spinner", "monkey", "opinion", "key", "keyboard", "count", "é",
        "photo.kendall", "compass", "tokenizer", "APIs", "licenseKeyboard", "seedling",
    ])
    func otherNameIsNotMasked(_ name: String) { #expect(!SecretName.isSecret(name)) }

    @Test func secretIsMaskedUntilItIsRevealed() async throws {
        let fixture = try InspectorFixture(
            StubInstance { content in
                content.records = [
                    InspectionRecord(key: "api.token", values: ["hunter2"]),
                    InspectionRecord(key: "user", values: [["password": "hunter2", "name": "Ada"]]),
                ]
            }
        )
        let rows = try await fixture.send("GET", "/api/instances/1/rows").text
        #expect(!rows.contains("hunter2"))
        #expect(rows.contains("Ada"))
        let masked = try await fixture.get("/api/instances/1/record?key=api.token")["values"][0]
        #expect(masked == .object(["type": .string("string"), "isMasked": .bool(true), "size": .number(7)]))
        let shown = try await fixture.get("/api/instances/1/record?key=api.token&reveal=value")["values"][0]
        #expect(shown["value"].string == "hunter2")
        #expect(try await fixture.send("GET", "/api/instances/1/record?key=user&reveal=value").text.contains("hunter2"))
        #expect(await fixture.send("GET", "/api/instances/1/value?key=api.token").status == 400)
        #expect(try await fixture.send("GET", "/api/instances/1/value?key=api.token&reveal=value").text == "hunter2")
        for format in ["csv", "json"] {
            #expect(try await !fixture.send("GET", "/api/instances/1/export?format=\(format)").text.contains("hunter2"))
        }
    }

    @Test func columnOfObjectsDecidesAndTheirKeyDoesNot() async throws {
        let fixture = try InspectorFixture(
            StubInstance { content in
                content.role = .objects
                content.tables = [
                    InspectionTable(
                        name: "User",
                        columns: ["name", "password"].map { InspectionColumn($0, type: "String") }
                    )
                ]
                content.records = [InspectionRecord(key: "token", values: ["Ada", "hunter2"])]
            }
        )
        let values = try await fixture.get("/api/instances/1/rows")["records"][0]["values"]
        #expect(values[0]["value"].string == "Ada")
        #expect(values[1]["isMasked"] == .bool(true))
    }

    @Test func formatOfDataIsRecognizedAndPropertyListsAreDecoded() throws {
        let form = ValueForm.record
        let png = try json(.data(Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])), form)
        #expect(png["preview"]["format"].string == "png")
        let list = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .binary, options: 0)
        let decoded = try json(.data(list), form)["preview"]
        #expect(decoded["format"].string == "property list")
        #expect(decoded["value"]["value"]["a"]["value"] == .number(1))
        #expect(try json(.data(Data("bplist00 broken".utf8)), form)["preview"] == .null)
        #expect(try json(.data(Data([1, 2])), form)["preview"] == .null)
        #expect(try json(.data(list))["preview"] == .null)
    }

    @Test func pageOfLongValuesStaysSmall() async throws {
        let long = StoredValue.string(String(repeating: "x", count: 10_000))
        let table = InspectionTable(name: "t", columns: (0..<50).map { InspectionColumn("c\($0)", type: "String") })
        let fixture = try InspectorFixture(
            StubInstance { content in
                content.tables = [table]
                content.records = (0..<100).map {
                    InspectionRecord(key: "\($0)", values: Array(repeating: long, count: 50))
                }
            }
        )
        #expect(try await fixture.send("GET", "/api/instances/1/rows?limit=1000").bytes.count < 4_700_000)
    }
}
#endif
