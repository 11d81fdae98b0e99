#if Objects
internal import Synchronization

/// The ids of objects that other programs insert, which the manager must not assign again.
///
/// A program that chooses no id gets the one after the table's greatest, which a manager may have reserved.
final class ForeignIDs: Sendable {
    /// The token of the newest save that was looked at.
    private let seen = Mutex<Int64>(0)

    /// Skips the ids of the objects that other programs have inserted since the last call.
    ///
    /// Call this method at the beginning of a transaction that writes.
    func skip(in sequence: ObjectIDSequence, _ statements: StatementCache) throws {
        let rows = try statements.rows(
            "SELECT token, process IS NULL, changes FROM larder_save WHERE token > ? ORDER BY token",
            [.integer(seen.withLock(\.self))]
        ) { row in
            let isForeign = row.integer(at: 1) != 0
            // A text that can't be read is not Larder's, and says nothing about ids.
            return (token: row.integer(at: 0), changes: isForeign ? try? row.withBytes(at: 2, SaveText.read) : nil)
        }
        guard let last = rows.last else { return }
        let inserted = rows.compactMap(\.changes).flatMap(\.objects).filter { $0.kind == .inserted }
        if let id = inserted.compactMap(\.ids.last?.upperBound).max() { sequence.skip(past: id) }
        seen.withLock { $0 = max($0, last.token) }
    }
}
#endif
