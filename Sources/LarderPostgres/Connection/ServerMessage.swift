#if Postgres
internal import CPostgres

/// An error or a notice of the server.
struct ServerMessage {
    /// The SQLSTATE, or `nil` if libpq itself has made the message.
    let state: String?
    /// The message, with its detail and hint.
    let text: String
    /// Whether the server ends the connection.
    let isFatal: Bool
    /// The function of the server that has made the message.
    let source: String?

    /// Reads the message from a result of libpq.
    init(_ result: OpaquePointer) {
        func field(_ code: Unicode.Scalar) -> String? {
            PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
        }
        state = field("C")
        let parts = [field("M"), field("D"), field("H")].compactMap(\.self)
        text = parts.isEmpty ? String(cString: PQresultErrorMessage(result)) : parts.joined(separator: " ")
        isFatal = ["FATAL", "PANIC"].contains(field("V"))
        source = field("R")
    }
}
#endif
