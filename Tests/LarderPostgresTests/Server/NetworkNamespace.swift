#if Postgres
import Foundation
import LarderTestSupport
import Testing

/// A network of its own for a server, connected to that of the tests by a pair of virtual devices.
///
/// Creating one needs root. The namespace is removed when this object is released or the process ends, even if it is killed.
final class NetworkNamespace: Sendable {
    let name: String
    /// The address of the tests, as the server sees it.
    private let client: String
    /// The address of the server.
    let server: String
    private let keeper: FileHandle

    init() throws {
        name = "larder-\(UUID().uuidString.prefix(6).lowercased())"
        let device = name.replacingOccurrences(of: "larder-", with: "lard")
        let (second, third) = (Int.random(in: 64..<128), Int.random(in: 0..<256))
        (client, server) = ("100.\(second).\(third).1", "100.\(second).\(third).2")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        let script = "trap '' INT TERM; cat >/dev/null; ip netns del \"$1\""
        process.arguments = ["-c", script, "sh", name]
        let pipe = Pipe()
        process.standardInput = pipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.start()
        keeper = pipe.fileHandleForWriting
        try Self.ip("netns", "add", name)
        try Self.ip("link", "add", "\(device)a", "type", "veth", "peer", "name", "\(device)b", "netns", name)
        try Self.ip("addr", "add", "\(client)/30", "dev", "\(device)a")
        try Self.ip("link", "set", "\(device)a", "up")
        try Self.ip("-n", name, "addr", "add", "\(server)/30", "dev", "\(device)b")
        try Self.ip("-n", name, "link", "set", "\(device)b", "up")
        try Self.ip("-n", name, "link", "set", "lo", "up")
    }

    deinit { try? keeper.close() }

    /// Drops every packet that the server sends to the tests.
    ///
    /// What the tests send still arrives, so the server acts and can't answer.
    func cut() throws { try Self.ip("-n", name, "route", "replace", "blackhole", "\(client)/32") }

    /// Ends ``cut()``.
    func restore() throws { try Self.ip("-n", name, "route", "del", "blackhole", "\(client)/32") }

    private static func ip(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", #"exec ip "$@" 2>/dev/null"#, "sh"] + arguments
        process.standardInput = FileHandle.nullDevice
        try process.start()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw PostgresPrograms.Failure(description: "ip \(arguments.joined(separator: " ")) failed.")
        }
    }

    /// Whether this process may create namespaces.
    static let areAvailable: Bool = {
        guard getuid() == 0 else { return false }
        return (try? NetworkNamespace()) != nil
    }()
}

extension Trait where Self == ConditionTrait {
    /// A condition for tests that cut a network.
    static var needsNetworkNamespaces: Self {
        .enabled(
            if: NetworkNamespace.areAvailable,
            "Left out: a cut in a network of its own. It needs root and the program `ip` (Debian: iproute2)."
        )
    }
}
#endif
