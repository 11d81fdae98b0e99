#if Postgres
internal import LarderReplication
internal import Synchronization

/// The times at which the calls for each replica also trim the history.
final class PostgresMaintenance: Sendable {
    private let due = Mutex<[UInt64: ContinuousClock.Instant]>([:])

    private static var interval: Duration { .seconds(30) }
    /// The pause if there is more to trim, or another program is trimming.
    private static var shortInterval: Duration { .milliseconds(200) }

    /// Notes how far a replica has read, and trims the history, if that is due.
    ///
    /// - Throws: ``PostgresError`` if the connection was lost. What the server can't trim now is trimmed later.
    func runIfDue(_ session: PostgresSession, _ replica: UInt64, _ position: ReplicationPosition) throws {
        let isDue = due.withLock { due in
            guard due[replica].map({ $0 <= .now }) ?? true else { return false }
            due[replica] = .now + Self.interval
            return true
        }
        guard isDue else { return }
        do {
            let rows = try session.connection.run(
                "SELECT larder.maintain($1, $2, $3)",
                [
                    .int4(session.store), .int8(Int64(bitPattern: replica)),
                    .int8(Int64(bitPattern: position.revision)),
                ]
            )
            if try rows.boolean(0, 0) == true { due.withLock { $0[replica] = .now + Self.shortInterval } }
        } catch let error as PostgresError {
            guard !session.connection.isBroken else { throw error }
        }
    }
}
#endif
