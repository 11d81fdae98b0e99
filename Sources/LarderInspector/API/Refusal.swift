#if Inspector
import LarderCore
import LarderFiles

/// The reason why a request has no other answer than an error.
struct Refusal: Error {
    let status: Int
    /// A word that names the failure.
    let code: String
    /// What is wrong and what to do, as a sentence.
    let message: String
    /// The place of the mistake in the filter.
    var place: Range<Int>?
    var headers: [(name: String, value: String)] = []

    init(_ status: Int, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    /// Creates the refusal for an error of an inspected instance.
    init(_ error: any Error) {
        switch error {
        case let refusal as Refusal: self = refusal
        case let error as InspectionQueryError:
            self.init(400, error.place == nil ? "invalidQuery" : "invalidFilter", error.message)
            place = error.place
        case is CancellationError:
            self.init(503, "unavailable", "The inspector ends, or the client has gone. Send the request again.")
        default:
            let isTemporary = Self.temporary.contains(Self.codeName(of: error))
            self.init(isTemporary ? 503 : 500, isTemporary ? "unavailable" : "failed", ErrorCause.text(error))
        }
    }

    /// The names of codes with which the same request may succeed a little later.
    private static let temporary: Set<String> = ["busy", "conflict", "tooManyOpenFiles", "tooManyThreads"]

    /// Returns the name of the code of an error, or an empty string if it has none.
    ///
    /// Errors of all areas have codes with names, but most of their types are unknown here.
    private static func codeName(of error: any Error) -> String {
        Mirror(reflecting: error).children.first { $0.label == "code" }.map { "\($0.value)" } ?? ""
    }

    static func badRequest(_ message: String) -> Refusal { Refusal(400, "invalidRequest", message) }

    static func notFound(_ message: String) -> Refusal { Refusal(404, "notFound", message) }

    static func busy(_ message: String) -> Refusal {
        var refusal = Refusal(429, "busy", message)
        refusal.headers = [("Retry-After", "1")]
        return refusal
    }

    static let unauthorized: Refusal = {
        var refusal = Refusal(
            401,
            "unauthorized",
            "The token is missing or wrong. Open the address that the inspector has printed, which contains the token."
        )
        refusal.headers = [("WWW-Authenticate", "Larder-Token realm=\"Larder\"")]
        return refusal
    }()

    static let wrongHost = Refusal(
        403,
        "wrongHost",
        "The request names a host that is not the inspector's. Use the address that the inspector has printed."
    )

    static let wrongOrigin = Refusal(
        403,
        "wrongOrigin",
        "A page of another origin has made the request. Use the page at the address that the inspector has printed."
    )

    static func wrongMethod(_ method: String, allowed: [String]) -> Refusal {
        let list = allowed.joined(separator: ", ")
        var refusal = Refusal(405, "wrongMethod", "The path has no method \(method). Use \(list).")
        refusal.headers = [("Allow", list)]
        return refusal
    }

    static let tooLarge = Refusal(
        413,
        "tooLarge",
        "The request is longer than \(RequestTarget.maximumLength) bytes. Use a shorter key or filter."
    )
}
#endif
