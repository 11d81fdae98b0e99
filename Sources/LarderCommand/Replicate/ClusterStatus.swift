#if Command
import Foundation
import LarderReplication
import Synchronization
#if Postgres
import LarderPostgres
#endif

/// The state of a store in a cluster.
struct ClusterStatus: Sendable {
    let position: ReplicationPosition
    private let instant: ReplicationInstant
    private let entryCount: Int

    /// Reads the state of a store.
    ///
    /// - Parameter engine: The connection to the cluster.
    /// - Throws: The error of the engine.
    init(of engine: any ReplicationEngine) async throws {
        #if Postgres
        if let engine = engine as? PostgresEngine {
            let status = try await engine.status()
            (position, instant, entryCount) = (status.position, status.instant, status.entryCount)
            further = Self.facts(status)
            return
        }
        #endif
        let count = Mutex(0)
        let snapshot = try await engine.snapshot { entries in
            let visible = entries.count { !$0.key.starts(with: "\u{0}larder".utf8) }
            count.withLock { $0 += visible }
        }
        (position, instant, entryCount) = (snapshot.position, snapshot.instant, count.withLock(\.self))
        further = []
    }

    /// What only some engines know.
    private let further: [Fact]

    var facts: [Fact] {
        [
            Fact("position", "position", position.revision), Fact("entries", "entries", entryCount),
            Fact("time of the cluster", "time", DateText.text(instant.date)),
        ] + further
    }

    #if Postgres
    private static func facts(_ status: PostgresStatus) -> [Fact] {
        [
            Fact("server", "server", "PostgreSQL \(status.server)"),
            Fact("version of the schema", "schemaVersion", status.schemaVersion),
            Fact("history after position", "historyStart", status.historyStart),
            Fact("commits wait for a standby", "isSynchronous", status.isSynchronous),
            Fact("replicas", "replicaCount", status.replicas.count),
            Fact(
                "replica",
                "replicas",
                list: status.replicas.map { replica in
                    "\(replica.number) at position \(replica.revision), seen \(DateText.text(replica.seen.date))"
                },
                objects: status.replicas.map { replica in
                    JSONWriter.object([
                        // As a string, because many programs read numbers as doubles.
                        ("number", JSONWriter.string(String(replica.number))), ("position", String(replica.revision)),
                        ("seen", JSONWriter.string(DateText.text(replica.seen.date))),
                    ])
                }
            ),
        ]
    }
    #endif
}

extension ReplicationInstant {
    /// The instant as a date, with millisecond precision.
    var date: Date {
        // Relative to 2001, as dates count: otherwise the sum is rounded, and printed with more digits.
        Date(timeIntervalSinceReferenceDate: (Double(milliseconds) - 978_307_200_000) / 1000)
    }
}
#endif
