#if Inspector
import Foundation
import LarderCore
import Testing

@testable import LarderInspector

@Suite struct ExportTests {
    private let stub = StubInstance { content in
        content.tables = [InspectionTable(name: "a/b", columns: [InspectionColumn("value", type: "any")])]
        content.records = [
            InspectionRecord(key: "plain", values: ["text"]),
            InspectionRecord(key: "=1+1", values: ["a,\"b\"\nc"]),
            InspectionRecord(key: "data", values: [.data(Data([1, 2, 3]))]),
            InspectionRecord(key: "list", values: [["x", .double(0.5)]]),
            InspectionRecord(key: "date", values: [.date(Date(timeIntervalSinceReferenceDate: 0))]),
        ]
    }

    @Test func tableIsExportedAsCSV() async throws {
        let answer = await (try InspectorFixture(stub)).send("GET", "/api/instances/1/export?format=csv")
        #expect(answer.status == 200)
        #expect(answer.header("Content-Disposition") == #"attachment; filename="a_b.csv""#)
        let lines = try answer.text.components(separatedBy: "\r\n")
        #expect(lines[0] == "key,value")
        #expect(lines[1] == "plain,text")
        #expect(lines[2] == "'=1+1,\"a,\"\"b\"\"\nc\"")
        #expect(lines[3] == "data,AQID")
        #expect(lines[4].hasPrefix("list,\"{\"\"type\"\":\"\"array\"\""))
        #expect(lines[5] == "date,2001-01-01T00:00:00Z")
    }

    @Test func tableIsExportedAsJSON() async throws {
        let answer = await (try InspectorFixture(stub)).send("GET", "/api/instances/1/export?format=json")
        #expect(try answer.json.elements.map { $0["key"].string } == ["plain", "=1+1", "data", "list", "date"])
    }

    @Test func allPagesAreExported() async throws {
        let fixture = try InspectorFixture(
            StubInstance { content in
                content.records = (0..<601).map { InspectionRecord(key: "\($0)", values: [.int(Int64($0))]) }
                content.largestPage = 500
            }
        )
        let answer = await fixture.send("GET", "/api/instances/1/export?format=json")
        #expect(try answer.json.elements.count == 601)
        #expect(
            try await fixture.send("GET", "/api/instances/1/export?format=csv").text.split(separator: "\r\n").count
                == 602
        )
    }

    @Test func noCellIsAFormula() async throws {
        let bytes: [UInt8] = [0xFB, 0xEF, 0xBE]
        let fixture = try InspectorFixture(
            StubInstance { content in
                content.tables = [
                    InspectionTable(
                        name: "t",
                        columns: ["=HYPERLINK(1)", "b", "c", "d", "e"].map { InspectionColumn($0, type: "any") }
                    )
                ]
                content.records = [
                    InspectionRecord(
                        key: "-1",
                        values: [
                            .data(Data(bytes)), .date(Date(timeIntervalSinceReferenceDate: 1e20)), "\n=1", "＝1",
                            .int(-5),
                        ]
                    )
                ]
            }
        )
        let text = try await fixture.send("GET", "/api/instances/1/export?format=csv").text
        #expect(text == "key,'=HYPERLINK(1),b,c,d,e\r\n'-1,'++++,'@1e+20,\"'\n=1\",'＝1,-5\r\n")
    }

    @Test func objectsHaveTheirIdentityEvenWithAnAttributeKey() async throws {
        let fixture = try InspectorFixture(
            StubInstance { content in
                content.role = .objects
                content.tables = [InspectionTable(name: "Setting", columns: [InspectionColumn("key", type: "String")])]
                content.records = [InspectionRecord(key: "7", values: ["theme"])]
            }
        )
        let text = try await fixture.send("GET", "/api/instances/1/export?format=csv").text
        #expect(text == "objectID,key\r\n7,theme\r\n")
    }

    @Test func onlyChosenColumnsAreExported() async throws {
        let fixture = try InspectorFixture(
            StubInstance { content in
                content.role = .objects
                content.tables = [
                    InspectionTable(
                        name: "Order",
                        columns: ["number", "password", "total"].map { InspectionColumn($0, type: "any") },
                        relationships: [
                            InspectionRelationship("items", destination: "Item", isToMany: true),
                            InspectionRelationship("customer", destination: "Customer", isToMany: false),
                        ]
                    )
                ]
                content.records = [
                    InspectionRecord(
                        key: "7",
                        values: [1, "hunter2", 3],
                        related: ["customer": "5"],
                        counts: ["items": 2]
                    )
                ]
            }
        )
        let csv = try await fixture.send("GET", "/api/instances/1/export?format=csv&columns=total,password").text
        #expect(csv == "objectID,total,password\r\n7,3,(masked)\r\n")
        let json = try await fixture.send("GET", "/api/instances/1/export?format=json&columns=total,customer").json[0]
        #expect(json["key"].string == "7")
        #expect(json["values"].elements.count == 1)
        #expect(json["values"][0]["value"] == .number(3))
        #expect(json["related"]["customer"].string == "5")
        #expect(json["counts"].members.isEmpty)
        let all = try await fixture.send("GET", "/api/instances/1/export?format=csv&columns=").text
        #expect(all == "objectID,number,password,total\r\n7,1,(masked),3\r\n")
        for list in ["none", "total,", "total,total"] {
            #expect(await fixture.send("GET", "/api/instances/1/export?format=csv&columns=\(list)").status == 400)
        }
    }

    @Test func downloadWithoutAColumnIsThatOfTheValue() async throws {
        let fixture = try InspectorFixture(
            StubInstance { content in
                content.tables = [
                    InspectionTable(
                        name: "keys",
                        columns: ["name", "value", "default"].map { InspectionColumn($0, type: "any") }
                    )
                ]
                content.records = [InspectionRecord(key: "k", values: ["k", "the value", "the default"])]
            }
        )
        #expect(try await fixture.send("GET", "/api/instances/1/value?key=k").text == "the value")
    }

    @Test func emptyTableIsExported() async throws {
        let fixture = try InspectorFixture(StubInstance())
        #expect(try await fixture.send("GET", "/api/instances/1/export?format=json").json == .array([]))
    }

    @Test func mistakeIsAnsweredBeforeTheFileBegins() async throws {
        let fixture = try InspectorFixture(StubInstance())
        for query in ["", "?format=xml", "?format=csv&filter=wrong", "?format=csv&limit=5"] {
            #expect(await fixture.send("GET", "/api/instances/1/export" + query).status == 400)
        }
    }

    @Test func valueIsDownloadedAsItIs() async throws {
        let fixture = try InspectorFixture(stub)
        let data = await fixture.send("GET", "/api/instances/1/value?key=data&column=value")
        #expect(try data.bytes == [1, 2, 3])
        #expect(data.header("Content-Type") == "application/octet-stream")
        #expect(try await fixture.send("GET", "/api/instances/1/value?key=plain").text == "text")
        let name = await fixture.send("GET", "/api/instances/1/value?key=%3D1%2B1").header("Content-Disposition")
        #expect(name == #"attachment; filename="_1_1.value.txt""#)
        #expect(await fixture.send("GET", "/api/instances/1/value?key=data&column=other").status == 404)
    }
}
#endif
