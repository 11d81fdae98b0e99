#if Inspector
/// The answer to an ``InspectorRequest``.
package struct InspectorAnswer: Sendable {
    /// The content of an answer.
    package enum Body: Sendable {
        /// Bytes that are sent at once.
        case bytes([UInt8])
        /// A sequence of pieces, each of which is read on a thread that may block. `nil` ends the sequence.
        case pieces(@Sendable () throws -> [UInt8]?)
        /// Events, until the page disconnects.
        case events(EventStream)
    }

    /// The status code of HTTP.
    package var status: Int
    /// The headers.
    package var headers: [(name: String, value: String)]
    /// The content.
    package var body: Body
    /// What counts the answer as long as it is sent, if it is sent in pieces.
    var transfer: Transfers.Transfer?
    /// What is wrong with the request and what to do, or `nil` if nothing is wrong.
    package private(set) var failure: String?

    init(_ status: Int, type: String, _ body: Body) {
        self.status = status
        headers = [("Content-Type", type)]
        self.body = body
    }

    /// Creates an answer in JSON.
    init(_ status: Int = 200, json: JSONText) {
        self.init(status, type: Self.json, .bytes(json.bytes))
    }

    /// Creates the answer to a wrong request.
    init(_ refusal: Refusal) {
        var json = JSONText()
        json.object { json in
            json.member("code", refusal.code)
            json.member("message", refusal.message)
            json.name("place")
            if let place = refusal.place {
                json.array { json in
                    json.number(place.lowerBound)
                    json.number(place.upperBound)
                }
            } else {
                json.null()
            }
        }
        self.init(refusal.status, json: json)
        failure = refusal.message
        headers += refusal.headers
    }

    /// Returns the first value of a header.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    static let json = "application/json"
}
#endif
