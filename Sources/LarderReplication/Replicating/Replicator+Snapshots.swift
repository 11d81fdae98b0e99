import LarderCore
import Synchronization

extension Replicator {
    /// Replaces the confirmed values by a snapshot of the cluster, in one local commit.
    ///
    /// Pending commits stay, and are judged again.
    func loadSnapshot(replacing cursor: ReplicaCursor?) async throws -> ReplicationStep {
        let difference = try SnapshotDifference(replica)
        let snapshot = try await calling { [engine] in
            try await engine.snapshot { part in try difference.add(part) }
        }
        let header = try replica.header()
        guard header.map({ $0.identity == snapshot.identity }) ?? true else {
            throw StoreError.otherCluster(replica.base, engine.name)
        }
        clock.hear(snapshot.instant)
        let newHeader = ReplicaHeader(identity: snapshot.identity, replica: newReplica())
        let next = ReplicaCursor(position: snapshot.position, instant: snapshot.instant, clock: clock.wall)
        // The confirmed values change only together with the cursor, so until then the difference is what it was when it was found.
        let rebase = try difference.rebase()
        await beginChange()
        defer { endChange() }
        let isMade = try await make {
            guard try replica.cursor() == cursor else { return nil }
            var batch = try rebase.batch(queue, replica)
            batch.expect(cursor.map { .data($0) }, at: ReplicaKeys.cursor)
            batch.set(record: next.encoded, for: ReplicaKeys.cursor)
            if header == nil { batch.set(record: newHeader.encoded, for: ReplicaKeys.header) }
            // The first contact. Later commits have a time, so one without it can't have been sent from here.
            for var commit in queue.inOrder where commit.drawn.instant == nil {
                commit.drawn = commit.drawn.known(at: snapshot.instant)
                batch.set(record: commit.encoded, for: ReplicaKeys.pending(commit.number))
            }
            // What the engine has said about pending commits may belong to the history that was lost.
            decided = [:]
            return (rebase, batch)
        }
        guard isMade else { return .conflicted }
        noteSnapshot(at: snapshot.position)
        log.noteSnapshot(at: snapshot.position, isFirst: cursor == nil)
        queue.forget()
        return .advanced
    }
}

/// The difference between the confirmed values of a replica and a snapshot that is received in parts.
///
/// Only entries that differ are kept in memory.
private final class SnapshotDifference: Sendable {
    private struct State {
        var changed: [ReplicationSnapshot.Entry] = []
        /// The keys that may have a confirmed value here, and that no part has contained yet.
        var missing: Set<[UInt8]>
    }

    private let replica: Replica
    private let state: Mutex<State>

    init(_ replica: Replica) throws {
        self.replica = replica
        // A local write may hide a key from the listing, and is then found among the pending ones, which are read afterwards.
        let keys = try replica.withinOneTurn {
            var keys = Set(try replica.base.entries(prefix: "").map { Array($0.key.utf8) })
            for key in try replica.keysWithPendingWrites() { keys.insert(key.bytes) }
            for key in try replica.reservedKeys() { keys.insert(key.bytes) }
            return keys
        }
        state = Mutex(State(missing: keys))
    }

    /// Compares the next entries of the snapshot with the replica.
    func add(_ part: [ReplicationSnapshot.Entry]) throws {
        let isKnown = state.withLock { state in part.map { state.missing.remove($0.key) != nil } }
        let changed = try zip(part, isKnown).filter { entry, isKnown in
            let key = try StoreKey(replicated: entry.key)
            // Only together with the cursor does another key get a confirmed value.
            guard isKnown else { return true }
            // A local write moves the confirmed value to a record, so it must not come between the two reads.
            let confirmed = try replica.consistently { try replica.confirmed(key) }
            return confirmed != ReplicaEntry(entry.value, until: entry.expiry)
        }
        state.withLock { $0.changed += changed.map(\.0) }
    }

    /// Returns the change of the confirmed values, after all parts were received.
    func rebase() throws -> Rebase {
        let state = state.withLock(\.self)
        var confirmed = state.changed.map { entry in
            (key: entry.key, entry: ReplicaEntry?.some(ReplicaEntry(entry.value, until: entry.expiry)))
        }
        for key in state.missing.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let place = try StoreKey(replicated: key)
            guard try replica.consistently({ try replica.confirmed(place) }) != nil else { continue }
            confirmed.append((key, nil))
        }
        return Rebase(distinct: confirmed)
    }
}
