#if Inspector
/// A request to the inspector, as it was received.
package struct InspectorRequest: Sendable {
    /// The method, such as "GET".
    package var method: String
    /// The path and the query, percent-encoded.
    package var target: String
    /// The header `Host` of HTTP/1, or `nil` if it is missing.
    package var host: String?
    /// The other headers.
    package var headers: [(name: String, value: String)]
    /// Whether the connection is encrypted.
    package var isSecure: Bool

    package init(
        _ method: String,
        _ target: String,
        host: String?,
        headers: [(name: String, value: String)] = [],
        isSecure: Bool = false
    ) {
        self.method = method
        self.target = target
        self.host = host
        self.headers = headers
        self.isSecure = isSecure
    }

    /// Returns the values of all headers with a name, in lower case.
    func values(of name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name }.map(\.value)
    }
}
#endif
