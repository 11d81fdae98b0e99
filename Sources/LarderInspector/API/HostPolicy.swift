#if Inspector
/// The decision whether a request was meant for the inspector, so that no page of another site can read what the inspector shows.
///
/// A site can let its name resolve to 127.0.0.1 (DNS rebinding). Its requests then reach the inspector, but with the name of the site in
/// `Host`. An address of digits can't be rebound. The port is not compared, because a tunnel may use another.
struct HostPolicy: Sendable {
    /// Names besides "localhost" and addresses, in lower case.
    private let names: Set<String>
    /// Whether every address of digits is accepted, and not only those of this machine.
    private let isOnNetwork: Bool

    init(names: [String], isOnNetwork: Bool) {
        self.names = Set(names.map { $0.lowercased() })
        self.isOnNetwork = isOnNetwork
    }

    /// Throws an error if a request names another host, or a page of another origin has made it.
    func check(_ request: InspectorRequest, isForData: Bool) throws {
        // A second `Host` header, which proxies may interpret differently, is left among the other headers.
        guard let host = request.host, request.values(of: "host").isEmpty, accepts(host) else {
            throw Refusal.wrongHost
        }
        let origins = request.values(of: "origin")
        var own = [(request.isSecure ? "https://" : "http://") + host.lowercased()]
        // Behind a proxy that speaks TLS, only the browser knows of it.
        if !request.isSecure, let name = Self.name(of: host), isNamed(name.lowercased()) {
            own.append("https://" + host.lowercased())
        }
        guard origins.count <= 1, origins.allSatisfy({ own.contains($0.lowercased()) }) else {
            throw Refusal.wrongOrigin
        }
        // A browser says itself who asks, except for addresses that it does not trust.
        let sites = request.values(of: "sec-fetch-site")
        if isForData, !sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) { throw Refusal.wrongOrigin }
    }

    private func accepts(_ host: String) -> Bool {
        guard let name = Self.name(of: host)?.lowercased() else { return false }
        if name == "localhost" || isNamed(name) { return true }
        if name.hasPrefix("[") { return isOnNetwork || name == "[::1]" }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let isAddress = parts.count == 4 && parts.allSatisfy { $0.count <= 3 && UInt8($0) != nil }
        return isAddress && (isOnNetwork || parts[0] == "127")
    }

    /// Returns whether a name is one of the inspector's, of which "*.example.com" is every name with one more part.
    private func isNamed(_ name: String) -> Bool {
        names.contains(name) || name.firstIndex(of: ".").map { names.contains("*" + name[$0...]) } ?? false
    }

    /// Returns the host without its port, or `nil` if the header is malformed.
    private static func name(of host: String) -> Substring? {
        let end: String.Index
        if host.hasPrefix("[") {
            guard let bracket = host.firstIndex(of: "]") else { return nil }
            let address = host[..<bracket].dropFirst()
            guard address.allSatisfy({ $0.isASCII && ($0.isHexDigit || $0 == ":" || $0 == ".") }) else { return nil }
            end = host.index(after: bracket)
        } else {
            end = host.firstIndex(of: ":") ?? host.endIndex
        }
        let rest = host[end...]
        guard rest.isEmpty || (rest.hasPrefix(":") && UInt16(rest.dropFirst()) != nil) else { return nil }
        return host[..<end]
    }
}
#endif
