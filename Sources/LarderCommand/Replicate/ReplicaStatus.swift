#if Command
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderReplication

/// How far the replica in a file follows its cluster.
struct ReplicaStatus {
    private let path: String
    private let freshness: ReplicationFreshness
    private let rejected: [RejectedCommit]
    /// Whether a process replicates, or `nil` if this user may not know.
    private let isReplicating: Bool?
    private let distance: ClusterDistance?

    /// Reads the state of a replica, which other processes may be using.
    ///
    /// - Parameters:
    ///   - path: The path of the replica.
    ///   - cluster: The address of its cluster, to compare the replica with, or `nil`.
    /// - Throws: ``CommandFailure`` if the file is missing or no replica. `StoreError` if the replica can't be read.
    init(path: String, cluster: ClusterAddress?) throws {
        self.path = path
        let opener = StoreOpener(path: path, kind: nil)
        guard try opener.existing().kind == .device else { throw Self.notAReplica(path) }
        let base = try StoreOpener.open(path, kind: .device, for: .reading)
        let store: ReplicatedStore
        do {
            store = try ReplicatedStore(unshared: base, engine: DisconnectedEngine())
        } catch let error as StoreError where error.code == .invalidConfiguration {
            throw Self.notAReplica(path)
        }
        let freshness = store.freshness
        self.freshness = freshness
        if freshness.position == nil, let failure = freshness.failure { throw CommandFailure.storage(failure) }
        rejected = try store.rejected()
        isReplicating = Self.isLocked(path + ".replicating")
        distance = try cluster.map { try ClusterDistance(from: freshness.position, to: $0) }
    }

    var facts: [Fact] {
        let contact = freshness.lastContact
        // The clock may have been set back since then.
        let silence = contact.map { Int(max(0, Date().timeIntervalSince($0))) }
        var facts = [
            Fact("replica", "replica", path),
            Fact("position", "position", freshness.position?.revision, or: "no contact with the cluster yet"),
            Fact("last contact", "lastContact", contact.map(DateText.text), or: "never"),
            Fact("seconds since then", "secondsSinceContact", silence, or: "unknown"),
            Fact("a process replicates", "isReplicating", isReplicating, or: "unknown"),
            Fact("pending commits", "pending", freshness.pending), Fact("rejected commits", "rejected", rejected.count),
        ]
        facts.append(
            Fact("rejected commit", "rejectedCommits", list: rejected.map(Self.text), objects: rejected.map(Self.json))
        )
        if let distance { facts += distance.facts }
        return facts
    }

    private static func text(_ commit: RejectedCommit) -> String {
        let keys = commit.writes.map(\.key.inOneLine).joined(separator: ", ")
        return "\(commit.number): \(reason(commit)); \(keys.isEmpty ? "reserved keys" : keys)"
    }

    private static func json(_ commit: RejectedCommit) -> String {
        JSONWriter.object([
            ("number", String(commit.number)), ("reason", JSONWriter.string(reason(commit))),
            (
                "writes",
                JSONWriter.list(
                    commit.writes.map { write in
                        JSONWriter.object([
                            ("key", JSONWriter.string(write.key)),
                            ("value", write.value.map(JSONWriter.typed) ?? "null"),
                        ])
                    }
                )
            ),
        ])
    }

    private static func reason(_ commit: RejectedCommit) -> String {
        switch commit.reason {
        case .refused: "an expectation did not hold in the cluster"
        case .stoodOnRejected: "stood on another rejected commit"
        case .unknown: "may have been made, because the cluster has forgotten its outcome"
        case .notStorable(let reason): "can't be stored in the cluster: \(reason)"
        }
    }

    /// Returns whether another process holds the lock in a file, or `nil` if that can't be determined.
    ///
    /// A missing file is not created.
    private static func isLocked(_ path: String) -> Bool? {
        do {
            guard try LocalFileSystem().isThere(path) else { return false }
            try LockFile(at: path).acquire(.shared, within: .zero).release()
            return false
        } catch let error as FileError where error.code == .busy {
            return true
        } catch {
            return nil
        }
    }

    private static func notAReplica(_ path: String) -> CommandFailure {
        .usage("The store \(path.debugDescription) is not a replica. Specify the file of a `ReplicatedStore`.")
    }
}
#endif
