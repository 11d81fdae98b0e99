#if Inspector
import Mustache

/// The page, its assets and the document that describes the API, which are part of the program.
struct Page: Sendable {
    /// The version of the inspector.
    static let version = "0.1.0"

    private let html: [UInt8]

    init(title: String) {
        let template = try? MustacheTemplate(string: PageAsset.html)
        html = Array((template?.render(["title": title, "version": Self.version]) ?? PageAsset.html).utf8)
    }

    /// Returns the answer to a request for something that is not data.
    func answer(_ request: InspectorRequest) throws -> InspectorAnswer {
        let path = request.target.prefix { $0 != "?" }
        let answer: InspectorAnswer
        if path == "/" {
            answer = InspectorAnswer(200, type: "text/html; charset=utf-8", .bytes(html))
        } else if let asset = PageAsset.all.first(where: { "/" + $0.name == path }) {
            answer = InspectorAnswer(200, type: asset.type, .bytes(Array(asset.text.utf8)))
        } else {
            throw Refusal.notFound("The inspector has no such page. Open the address that it has printed.")
        }
        guard request.method == "GET" else { throw Refusal.wrongMethod(request.method, allowed: ["GET"]) }
        return answer
    }

    /// The headers of each answer: nothing is loaded from elsewhere, no script or style of a value is executed, and nothing is kept in a cache.
    static let safetyHeaders: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            [
                "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob: data:",
                "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
                "require-trusted-types-for 'script'", "trusted-types 'none'",
            ].joined(separator: "; ")
        ),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cache-Control", "no-store"),
    ]
}

/// A file of the page.
struct PageAsset: Sendable {
    let name: String
    let type: String
    let text: String
}
#endif
