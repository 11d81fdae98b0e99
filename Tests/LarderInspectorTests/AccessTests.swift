#if Inspector
import LarderCore
import Testing

@testable import LarderInspector

@Suite struct AccessTests {
    @Test(arguments: Route.all)
    func everyRouteNeedsTheToken(_ route: Route) async throws {
        let fixture = try InspectorFixture(StubInstance())
        let path = route.path.replacing("{instance}", with: "1").replacing("{run}", with: "1").replacing(
            "{action}",
            with: "a"
        )
        let wrong = InspectorToken().digits
        let attempts: [[(name: String, value: String)]] = [
            [], [("Larder-Token", wrong)], [("Larder-Token", "")], [("Cookie", "Larder-Token=\(fixture.api.token)")],
            [("Larder-Token", fixture.api.token), ("Larder-Token", fixture.api.token)],
            [("Authorization", "Bearer \(fixture.api.token)")],
        ]
        for headers in attempts {
            let answer = await fixture.api.answer(
                InspectorRequest(route.method, path, host: "127.0.0.1", headers: headers)
            )
            #expect(answer.status == 401)
            #expect(try answer.json["message"].string.contains("Open the address"))
        }
        let inQuery = InspectorRequest(route.method, path + "?Larder-Token=\(fixture.api.token)", host: "127.0.0.1")
        #expect(await fixture.api.answer(inQuery).status == 401)
    }

    @Test func unknownPathOfTheAPINeedsTheTokenToo() async throws {
        let fixture = try InspectorFixture(StubInstance())
        for path in ["/api", "/api/", "/api/other", "/%61pi/instances", "/api/instances/../../x", "/%2e%2e/api/issues"]
        {
            #expect(await fixture.api.answer(InspectorRequest("GET", path, host: "127.0.0.1")).status == 401)
        }
    }

    @Test func pageAndDocumentNeedNoToken() async throws {
        let fixture = try InspectorFixture(StubInstance { $0.name = "a name that the page must not show" })
        for path in ["/", "/inspector.css", "/inspector.js", "/openapi.json"] {
            let answer = await fixture.api.answer(InspectorRequest("GET", path, host: "127.0.0.1"))
            #expect(answer.status == 200)
            #expect(try !answer.text.contains("a name that"))
            #expect(try !answer.text.contains(fixture.api.token))
        }
    }

    @Test(arguments: [
        "127.0.0.1", "127.0.0.1:80", "localhost", "LocalHost:1234", "[::1]:1", "127.1.2.3",
    ])
    func requestForThisMachineIsAnswered(_ host: String) async throws {
        let fixture = try InspectorFixture(StubInstance())
        var request = fixture.request("GET", "/api/instances")
        request.host = host
        #expect(await fixture.api.answer(request).status == 200)
    }

    @Test(arguments: [
        nil, "", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "192.168.1.1", "[::2]", "[::1",
        "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:1@evil.example", "127.0.0.1/", "0.0.0.0", "127.0.0", "١٢٧.0.0.1",
    ])
    func requestForAnotherHostIsRefused(_ host: String?) async throws {
        let fixture = try InspectorFixture(StubInstance())
        for target in ["/api/instances", "/", "/inspector.js"] {
            var request = fixture.request("GET", target)
            request.host = host
            #expect(await fixture.api.answer(request).status == 403)
        }
    }

    @Test func secondHostIsRefused() async throws {
        let fixture = try InspectorFixture(StubInstance())
        var request = fixture.request("GET", "/api/instances")
        request.headers.append(("Host", "127.0.0.1"))
        #expect(await fixture.api.answer(request).status == 403)
    }

    @Test func addressesOfTheNetworkAndNamesAreAcceptedIfAllowed() {
        let policy = HostPolicy(names: ["Host.example"], isOnNetwork: true)
        for host in ["192.168.1.1:1", "[fe80::1]", "host.EXAMPLE:443", "localhost"] {
            #expect(throws: Never.self) { try policy.check(InspectorRequest("GET", "/", host: host), isForData: true) }
        }
        #expect(throws: Refusal.self) {
            try policy.check(InspectorRequest("GET", "/", host: "evil.example"), isForData: true)
        }
    }

    @Test(arguments: [
        ("Origin", "http://evil.example"), ("Origin", "null"), ("Origin", "https://127.0.0.1:1"),
        ("Origin", "http://127.0.0.1:2"),
        ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"),
    ])
    func requestOfAnotherOriginIsRefused(_ name: String, _ value: String) async throws {
        let fixture = try InspectorFixture(StubInstance())
        for (method, target) in [
            ("GET", "/api/instances"), ("POST", "/api/instances/1/actions/a"), ("DELETE", "/api/runs/1"),
        ] {
            var request = fixture.request(method, target)
            request.headers.append((name, value))
            #expect(await fixture.api.answer(request).status == 403)
        }
    }

    @Test func pageBehindAProxyWithTLSIsAnsweredByItsName() throws {
        let policy = HostPolicy(names: ["box.example", "*.wild.example"], isOnNetwork: false)
        func check(_ host: String, _ origin: String) throws {
            let headers = [(name: "Origin", value: origin)]
            try policy.check(InspectorRequest("GET", "/", host: host, headers: headers), isForData: true)
        }
        try check("box.example", "https://box.example")
        try check("a.wild.example:443", "https://a.wild.example:443")
        for (host, origin) in [
            ("localhost", "https://localhost"), ("box.example", "https://evil.example"),
            ("wild.example", "http://wild.example"), ("a.b.wild.example", "http://a.b.wild.example"),
        ] {
            #expect(throws: Refusal.self) { try check(host, origin) }
        }
    }

    @Test func requestOfThePageIsAnswered() async throws {
        let fixture = try InspectorFixture(StubInstance())
        var request = fixture.request("GET", "/api/instances")
        request.headers += [("Origin", "http://127.0.0.1:1"), ("Sec-Fetch-Site", "same-origin")]
        #expect(await fixture.api.answer(request).status == 200)
    }

    @Test func everyAnswerHasTheSafetyHeadersAndNoCookie() async throws {
        let fixture = try InspectorFixture(StubInstance())
        let requests =
            ["/", "/api/instances", "/none", "/api/none", "/api/instances/1/rows?limit=x"].map {
                fixture.request("GET", $0)
            }
            + [InspectorRequest("GET", "/api/issues", host: "evil.example")]
        for request in requests {
            let answer = await fixture.api.answer(request)
            let policy = answer.header("Content-Security-Policy") ?? ""
            #expect(policy.contains("default-src 'none'"))
            #expect(!policy.contains("unsafe"))
            #expect(answer.header("X-Content-Type-Options") == "nosniff")
            #expect(answer.header("Referrer-Policy") == "no-referrer")
            #expect(answer.header("Cross-Origin-Opener-Policy") == "same-origin")
            #expect(answer.header("Cache-Control") == "no-store")
            #expect(answer.header("Set-Cookie") == nil)
            #expect(answer.header("Access-Control-Allow-Origin") == nil)
        }
    }

    @Test(arguments: ["HEAD", "PUT", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get"])
    func otherMethodIsRefusedWithThoseAllowed(_ method: String) async throws {
        let fixture = try InspectorFixture(StubInstance())
        for target in ["/", "/api/instances", "/api/instances/1/actions/a"] {
            let answer = await fixture.send(method, target)
            #expect(answer.status == 405)
            #expect(answer.header("Allow") == (target.hasSuffix("/a") ? "POST" : "GET"))
        }
        #expect(await fixture.send(method, "/api/runs/1").header("Allow") == "GET, DELETE")
    }

    @Test(arguments: [
        "/../etc/passwd", "/..%2f..%2fetc%2fpasswd", "/%2e%2e/etc/passwd", "/assets/inspector.html", "/inspector.js/",
        "//etc/passwd",
        "/inspector.html", "/API/openapi.json", "/api/runs/..%2f..%2fetc%2fpasswd/file", "/api/runs/../file",
    ])
    func noPathReachesTheFileSystem(_ target: String) async throws {
        let fixture = try InspectorFixture(StubInstance())
        #expect(await fixture.send("GET", target).status == 404)
    }
}
#endif
