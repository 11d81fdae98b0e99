#if Postgres
extension PostgresError {
    // MARK: - Connecting

    /// Returns the error for an attempt to connect that failed.
    ///
    /// - Parameters:
    ///   - message: The message of libpq, which contains the SQLSTATE if the server has sent one.
    ///   - needsPassword: Whether the server wants a password and there is none.
    /// - Returns: The error.
    static func connecting(message: String, needsPassword: Bool) -> PostgresError {
        let (text, state) = readable(message)
        if needsPassword {
            return PostgresError(
                .notAuthenticated,
                "The server wants a password, and there is none (\(text)). Add the password to the password file (~/.pgpass), PGPASSWORD or the address.",
                state: state
            )
        }
        switch state ?? "" {
        case "28P01", "28000":
            return PostgresError(
                .notAuthenticated,
                "The server does not accept this user (\(text)). Check the user, the password, and pg_hba.conf on the server.",
                state: state
            )
        case "3D000":
            return PostgresError(
                .databaseNotFound,
                "The database does not exist (\(text)). Correct its name in the address, or create it (createdb).",
                state: state
            )
        case "42501":
            return PostgresError(
                .notPermitted,
                "The user may not connect to the database (\(text)). Grant the privilege: GRANT CONNECT ON DATABASE.",
                state: state
            )
        case let state where state.hasPrefix("53"): return outOfResources(text, state)
        default: break
        }
        // Only libpq itself knows these, and has no codes for them.
        if ["read-only", "hot standby"].contains(where: text.contains) {
            return PostgresError(
                .readOnly,
                "No server at the address accepts writes (\(text)). Name the primary server, or all servers, in the address."
            )
        }
        if ["expected authentication request", "invalid response to SSL negotiation"].contains(where: text.contains) {
            return PostgresError(
                .notPostgreSQL,
                "The program at this address is not PostgreSQL (\(text)). Correct the host and the port in the address."
            )
        }
        return failedTLS(text) ?? noConnection(text, state)
    }

    /// Returns the error for a server that can't be reached.
    static func noConnection(_ reason: String, _ state: String? = nil) -> PostgresError {
        PostgresError(
            .unreachable,
            "PostgreSQL can't be reached (\(reason)). Check the address and that the server is running.",
            state: state
        )
    }

    /// Returns the lines of a verbose message of libpq that are for people, and the SQLSTATE in it.
    private static func readable(_ message: String) -> (text: String, state: String?) {
        var state: String?
        let lines = message.split(separator: "\n").filter { !$0.hasPrefix("LOCATION") && !$0.hasPrefix("\t") }
        let texts = lines.map { line in
            // SEVERITY:  SQLSTATE: message
            guard let match = line.firstMatch(of: #/:  ([0-9A-Z]{5}): /#) else { return String(line) }
            state = String(match.output.1)
            return "\(line[..<match.range.lowerBound]): \(line[match.range.upperBound...])"
        }
        return (texts.joined(separator: "; "), state)
    }

    /// Returns the error for an attempt to encrypt a connection that failed, or `nil` if the message is about something else.
    private static func failedTLS(_ text: String) -> PostgresError? {
        let remedy: String
        if text.contains("does not support SSL") {
            remedy = "Switch TLS on in the server's configuration (ssl = on), or change sslmode in the address."
        } else if text.contains("does not match host name") || text.contains("could not get server's host name") {
            remedy = "Connect by the host name in the certificate, or give the server a certificate for this name."
        } else if text.contains("certificate verify failed") || text.contains("root certificate file") {
            remedy = "Name the file with the certificate of the server's authority in the address (sslrootcert)."
        } else if text.contains("certificate") || (text.contains("SSL error: ") && !text.contains("unexpected eof")) {
            remedy = "Check the parameters in the address that begin with ssl, and the server's log."
        } else {
            return nil
        }
        return PostgresError(.tlsFailed, "TLS with the server failed (\(text)). \(remedy)")
    }

    // MARK: - Connections

    /// Returns the error for a connection that was lost while a statement was running.
    static func lostConnection(_ reason: String, state: String?) -> PostgresError {
        let reason = reason.split(separator: "\n").first.map { " (\($0))" } ?? ""
        return PostgresError(
            .connectionLost,
            "The connection to PostgreSQL was lost\(reason). Check the server and the network, then try again.",
            state: state
        )
    }

    /// Returns the error for a server that does not answer.
    static func silence(_ timeout: Duration) -> PostgresError {
        PostgresError(
            .connectionLost,
            "PostgreSQL has not answered for \(timeout), so the connection counts as lost. Check the server and the network, then try again."
        )
    }

    // MARK: - Statements

    /// Returns the error for a statement that the server has refused.
    static func server(_ message: ServerMessage) -> PostgresError {
        let (text, state) = (message.text, message.state ?? "")
        switch state {
        case "55P03":
            return PostgresError(
                .busy,
                "Another commit has not ended in time: of this store, or of any program on the server that notifies. If it waits for a synchronous standby, check the standby; otherwise try again.",
                state: state
            )
        case "42501":
            return PostgresError(
                .notPermitted,
                "The user lacks a privilege (\(text)). Grant USAGE on the schema larder and EXECUTE on its functions.",
                state: state
            )
        case "25006":
            return PostgresError(
                .readOnly,
                "The database is read-only (\(text)). Name the primary server in the address.",
                state: state
            )
        case "P0002": return removedStore
        case let state where state.hasPrefix("53"): return outOfResources(text, state)
        case "": return PostgresError(.statement, "A statement failed (\(text)). Free memory and try again.")
        default:
            return PostgresError(
                .statement,
                "PostgreSQL refused a statement (\(text)). Nothing was changed; look at the server's log.",
                state: message.state
            )
        }
    }

    /// The error for a store that was removed while the engine was connected.
    static let removedStore = PostgresError(
        .storeNotFound,
        "The store was removed from the database. Restore it from a backup, or start the program with a new replica to create an empty one.",
        state: "P0002"
    )

    private static func outOfResources(_ text: String, _ state: String) -> PostgresError {
        PostgresError(
            .outOfResources,
            "The server has reached a limit (\(text)). Free disk space or memory there, or raise the limit of connections.",
            state: state
        )
    }
}
#endif
