#if Inspector
/// The options of an ``Inspector``.
public struct InspectorOptions: Sendable {
    /// The address at which the inspector listens.
    ///
    /// The default is 127.0.0.1, which only programs on this machine can reach. Another address needs a ``certificate`` and
    /// ``allowsNetwork``.
    public var host = "127.0.0.1"
    /// The port at which the inspector listens, or 0 (the default) for a free one.
    public var port = 0
    /// The certificate with which connections are encrypted, or `nil` (the default) for none.
    public var certificate: InspectorCertificate?
    /// Whether ``host`` may be an address that other machines can reach.
    ///
    /// Everyone who has the token can then read everything that the inspector shows, from any machine that reaches this one.
    public var allowsNetwork = false
    /// Names of this machine, besides addresses, by which browsers may reach the inspector.
    ///
    /// With a certificate, the default is the names in the certificate, and the first name is that of ``Inspector/address``. A request for
    /// another name is refused, because it may be the name of a site that resolves to this machine. "*.example" stands for each name with one
    /// more part.
    public var hostNames: [String] = []
    /// The title of the page.
    ///
    /// The default is "Larder".
    public var title = "Larder"
    /// The token that requests must contain, as 32 hexadecimal digits, or `nil` (the default) for a new one at each start.
    ///
    /// A token of your own must come from a secure random generator.
    public var token: String?
    /// The maximum number of connections.
    ///
    /// Further connections are closed at once. The default is 128.
    public var maximumConnections = 128
    /// The time that a client has to send a request, and to receive the next 64 KB of its answer, before its connection is closed.
    ///
    /// The default is 30 seconds.
    public var patience: Duration = .seconds(30)
    /// A closure that is called with the inspector's ``Inspector/address`` when it listens.
    ///
    /// The address contains the token, so do not write it where others can read it.
    public var onListening: (@Sendable (String) -> Void)?

    /// Creates options with the default values.
    public init() {}
}

/// A certificate for encrypted connections of an ``Inspector``.
public struct InspectorCertificate: Sendable, Hashable {
    /// The path of the certificate and its chain, in PEM format.
    public var chain: String
    /// The path of the private key, in PEM format.
    public var privateKey: String

    /// Creates a certificate from the paths of its files, which are read when the inspector starts.
    ///
    /// - Parameters:
    ///   - chain: The path of the certificate and its chain, in PEM format.
    ///   - privateKey: The path of the private key, in PEM format.
    public init(chain: String, privateKey: String) {
        self.chain = chain
        self.privateKey = privateKey
    }
}

extension InspectorOptions {
    /// Whether the address can be reached from this machine only.
    var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        // "127.example.com" is a name, which may resolve to any address.
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt8($0) != nil }
    }

    /// Throws ``InspectorError`` if the options are not allowed together.
    func check() throws {
        guard (0...65_535).contains(port) else {
            throw InspectorError(.invalidOptions, "The port \(port) does not exist. Use a number from 0 to 65535.")
        }
        guard maximumConnections > 0, patience > .zero else {
            throw InspectorError(
                .invalidOptions,
                "The limits of connections and time are not above zero. Increase them."
            )
        }
        guard isLoopback || (certificate != nil && allowsNetwork) else {
            throw InspectorError(
                .invalidOptions,
                "Other machines can reach the address \(host). Use 127.0.0.1, or specify a certificate and allow the network explicitly."
            )
        }
    }
}
#endif
