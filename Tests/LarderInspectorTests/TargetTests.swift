#if Inspector
import LarderCore
import Testing

@testable import LarderInspector

@Suite struct TargetTests {
    @Test func escapesAreDecodedOnce() throws {
        let target = try RequestTarget("/a%2Fb/c%2525?k+1=%E2%82%AC%00+%2B&empty=&none&e=a=b")
        #expect(target.path == ["a/b", "c%25"])
        #expect(target.text("k 1") == "€\0 +")
        #expect(target.text("empty") == "")
        #expect(target.text("none") == "")
        #expect(target.text("e") == "a=b")
        #expect(target.text("absent") == nil)
    }

    @Test(arguments: [
        "", "a", "http://a/", "*", "/%", "/%1", "/%g0", "/?a=%zz", "/%ff", "/?a=%c3%28", "/?a=%ed%a0%80", "/?a=%c0%80",
        "/?%80=1",
        "/?a=1&a=2", "/?%61=1&a=2", "/a#b",
    ])
    func malformedTargetIsRefused(_ target: String) throws {
        #expect(throws: Refusal.self) { try RequestTarget(target) }
    }

    @Test func longTargetIsRefused() async throws {
        let fixture = try InspectorFixture(StubInstance())
        let answer = await fixture.send("GET", "/api/instances?a=" + String(repeating: "a", count: 40_000))
        #expect(answer.status == 413)
    }

    @Test(arguments: [
        "?limit=0", "?limit=1001", "?limit=-1", "?limit=1e2", "?limit=%2B5", "?limit=99999999999999999999", "?limit=",
        "?other=1",
        "?reveal=true", "?order=none", "?order=,", "?of=1", "?of=1&ofTable=entries",
    ])
    func wrongParameterIsRefusedWithAdvice(_ query: String) async throws {
        let fixture = try InspectorFixture(StubInstance())
        let answer = await fixture.send("GET", "/api/instances/1/rows" + query)
        #expect(answer.status == 400)
        #expect(try answer.json["message"].string.split(separator: ".").count >= 2)
    }

    @Test func parametersBecomeTheQuery() async throws {
        let stub = StubInstance()
        let fixture = try InspectorFixture(stub)
        _ = try await fixture.get(
            "/api/instances/1/rows?table=entries&prefix=a%00&text=T&filter=x%3E1&order=-value&after=2&limit=7&of=k&ofTable=t&relationship=r"
        )
        let query = try #require(stub.queries.first)
        #expect(query.table == "entries")
        #expect(query.prefix == "a\0")
        #expect(query.text == "T")
        #expect(query.filter == "x>1")
        #expect(query.order == [InspectionQuery.Order("value", isAscending: false)])
        #expect(query.after == "2")
        #expect(query.limit == 7)
        #expect(query.relation == InspectionQuery.Relation(of: "k", in: "t", "r"))
    }

    @Test func planIsThatOfTheRows() async throws {
        let fixture = try InspectorFixture(StubInstance { $0.plan = InspectionPlan(statement: "s", steps: []) })
        let query = "?prefix=a&text=t&filter=x&order=value&of=k&ofTable=t&relationship=r"
        #expect(await fixture.send("GET", "/api/instances/1/plan" + query).status == 200)
    }

    @Test func longTextIsRefused() async throws {
        let fixture = try InspectorFixture(StubInstance())
        for (count, status) in [(1_000, 200), (1_001, 400)] {
            let text = String(repeating: "_", count: count)
            #expect(await fixture.send("GET", "/api/instances/1/rows?text=\(text)").status == status)
        }
    }

    @Test func mistakeInTheFilterHasItsPlace() async throws {
        let answer = await (try InspectorFixture(StubInstance())).send("GET", "/api/instances/1/rows?filter=wrong")
        #expect(answer.status == 400)
        #expect(try answer.json["code"].string == "invalidFilter")
        #expect(try answer.json["place"] == .array([.number(2), .number(5)]))
    }

    @Test(arguments: [
        (StoreError(.inputOutput, "The disk failed. Check the disk."), 500),
        (StoreError(.damaged, "The file is damaged. Repair it."), 500),
        (StoreError(.busy, "The store is in use. Try again."), 503),
    ])
    func unreadableContentIsUnavailable(_ error: StoreError, _ status: Int) async throws {
        let fixture = try InspectorFixture(StubInstance { $0.error = error })
        let answer = await fixture.send("GET", "/api/instances/1/rows")
        #expect(answer.status == status)
        #expect(try answer.json["message"].string == error.message)
        #expect(try await fixture.get("/api/instances/1")["problem"].string == error.message)
    }

    @Test(arguments: [
        "/api/instances/2", "/api/instances/x/rows", "/api/instances/1/rows?table=none",
        "/api/instances/1/record?key=none",
        "/api/instances/1/plan", "/api/runs/1", "/api/runs/1/file", "/api/instances/", "/api//instances",
    ])
    func absentThingIsNotFound(_ target: String) async throws {
        #expect(await (try InspectorFixture(StubInstance())).send("GET", target).status == 404)
    }

    @Test func tableMustBeNamedIfThereAreSeveral() async throws {
        let fixture = try InspectorFixture(
            StubInstance { $0.tables = ["a", "b"].map { InspectionTable(name: $0, columns: []) } }
        )
        #expect(await fixture.send("GET", "/api/instances/1/rows").status == 400)
        #expect(await fixture.send("GET", "/api/instances/1/rows?table=b").status == 200)
    }
}
#endif
