#if Postgres
import CPostgres

/// A connection for the statements of a test, apart from the code under test.
///
/// Its calls block the thread.
struct AdministratorConnection: ~Copyable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let connection: OpaquePointer?

    init(_ address: String) throws {
        connection = PQconnectdb(address)
        PQsetNoticeReceiver(connection, { _, _ in }, nil)
        guard PQstatus(connection) == CONNECTION_OK else {
            throw Failure(description: String(cString: PQerrorMessage(connection)))
        }
    }

    deinit { PQfinish(connection) }

    /// Runs statements and returns the rows of the last one.
    @discardableResult
    func run(_ statements: String) throws -> [[String?]] {
        let result = PQexec(connection, statements)
        defer { PQclear(result) }
        guard [PGRES_TUPLES_OK, PGRES_COMMAND_OK].contains(PQresultStatus(result)) else {
            throw Failure(description: String(cString: PQerrorMessage(connection)))
        }
        return (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { column in
                PQgetisnull(result, row, column) == 1 ? nil : String(cString: PQgetvalue(result, row, column))
            }
        }
    }
}
#endif
