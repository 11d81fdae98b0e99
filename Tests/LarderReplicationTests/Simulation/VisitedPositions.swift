import LarderCore
import LarderFiles
import LarderReplication

/// All positions at which the cursor of one machine's replica was.
final class VisitedPositions: Sendable {
    private let positions = Lock<Set<ReplicationPosition>>([])

    var all: Set<ReplicationPosition> { positions.withLock(\.self) }

    /// Adds the position to which a local commit moves the cursor, if it does.
    func add(from batch: StoreBatch) {
        for write in batch.writes where write.key.text == "\u{0}larder.replica.cursor" {
            // The version, the revision and the token; see `Documentation/Formats/replication-v1.md`.
            guard case .data(let record)? = write.value, record.count >= 17 else { continue }
            let bytes = Array(record)
            func number(at offset: Int) -> UInt64 {
                (0..<8).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
            }
            let position = ReplicationPosition(revision: number(at: 1), token: number(at: 9))
            positions.withLock { _ = $0.insert(position) }
        }
    }
}
