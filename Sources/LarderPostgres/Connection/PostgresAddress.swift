#if Postgres
internal import CPostgres
internal import Foundation

/// The parameters of libpq that an address states, with defaults that suit an engine.
struct PostgresAddress: Sendable {
    typealias Parameters = [(keyword: String, value: String)]

    /// The parameters for each attempt to connect, usually one for each host.
    let attempts: [Parameters]
    /// The time limit of an attempt.
    let limit: Duration
    /// The hosts and the database, for messages.
    let description: String

    /// Reads an address.
    ///
    /// - Parameters:
    ///   - address: A connection URI or a list of parameters.
    ///   - timeout: The time without any sign of the server after which a connection counts as lost.
    ///   - environment: The environment variables, which may contain defaults of libpq.
    /// - Throws: ``PostgresError`` if libpq does not understand the address.
    init(
        _ address: String,
        timeout: Duration,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        guard !address.utf8.contains(0), let options = PQconninfoParse(address, nil) else {
            // The message of libpq may contain a part of a password.
            throw PostgresError(
                .invalidConfiguration,
                "The address of the database can't be read. Write postgresql://user@host:port/database, with special characters percent-encoded."
            )
        }
        defer { PQconninfoFree(options) }
        var stated: [String: String] = [:]
        var inherited: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword.map({ String(cString: $0) }) {
            if let value = option.pointee.val { stated[keyword] = String(cString: value) }
            if let name = option.pointee.envvar { inherited[keyword] = environment[String(cString: name)] }
            option += 1
        }
        let known = inherited.merging(stated) { $1 }
        // libpq expands such a name only in other calls. Here it would be a database, with a password in messages.
        guard known["dbname"].map({ !$0.contains("://") && !$0.contains("=") }) ?? true else {
            throw PostgresError(
                .invalidConfiguration,
                "The name of the database contains another address. Pass the address itself, as postgresql://user@host:port/database."
            )
        }
        var parameters = stated
        parameters["client_encoding"] = "UTF8"
        // A service file states its parameters where they can't be seen from here.
        if known["service"] == nil {
            let milliseconds = Int(timeout / .milliseconds(1))
            let defaults = [
                "connect_timeout": "5", "target_session_attrs": "read-write", "tcp_user_timeout": "\(milliseconds)",
                "keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3",
            ]
            for (keyword, value) in defaults where known[keyword] == nil { parameters[keyword] = value }
        }
        if known["application_name"] == nil { parameters["fallback_application_name"] = "larder" }
        attempts = Self.attempts(parameters, known)
        // A service file may state a limit that can't be seen from here, and 0 means none. A lane must not hang either way.
        let seconds = parameters["connect_timeout"] ?? known["connect_timeout"]
        limit = seconds.flatMap(Int.init).flatMap { $0 > 0 ? .seconds($0) : nil } ?? .seconds(30)
        let hosts = Self.list(known["host"] ?? known["hostaddr"])
        let ports = Self.list(known["port"])
        let places = hosts.indices.map { index in
            (ports.count == hosts.count ? ports[index] : ports.first).map { "\(hosts[index]):\($0)" } ?? hosts[index]
        }
        description = "postgresql://\(places.joined(separator: ","))/\(known["dbname"] ?? "")"
    }

    private static func list(_ value: String?) -> [String] {
        value?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
    }

    /// Returns the parameters for each host.
    ///
    /// libpq would try the hosts itself, but limits the time for each only in a call that blocks and that has no SQLSTATE.
    private static func attempts(_ parameters: [String: String], _ known: [String: String]) -> [Parameters] {
        let lists = ["host", "hostaddr"].map { list(known[$0]) }
        let count = lists.map(\.count).max() ?? 0
        let ports = list(known["port"])
        let isUneven = lists.contains { !$0.isEmpty && $0.count != count } || (ports.count > 1 && ports.count != count)
        // Two passes over the hosts are left to libpq, and so are errors.
        guard count > 1, !isUneven, known["service"] == nil, known["target_session_attrs"] != "prefer-standby" else {
            return [parameters.map { ($0.key, $0.value) }]
        }
        return (0..<count).map { index in
            var own = parameters
            for (keyword, list) in zip(["host", "hostaddr"], lists) where !list.isEmpty { own[keyword] = list[index] }
            if !ports.isEmpty { own["port"] = ports.count > 1 ? ports[index] : ports[0] }
            return own.map { ($0.key, $0.value) }
        }
    }
}
#endif
