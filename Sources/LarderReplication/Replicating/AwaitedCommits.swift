import Synchronization

/// The commits that callers of this instance have sent themselves, and that they await among those that are applied here.
///
/// A commit that was found among applied commits was part of the history that the cursor follows, and visible. A comparison of revisions
/// does not show that: after a failover another commit may have the same revision.
///
/// The class is thread-safe.
final class AwaitedCommits: Sendable {
    typealias Identifier = ReplicationCommit.Identifier

    /// Whether each awaited commit was applied.
    private let commits = Mutex<[Identifier: Bool]>([:])

    /// Awaits a commit, before it is sent.
    func insert(_ identifier: Identifier) { commits.withLock { $0[identifier] = false } }

    func remove(_ identifier: Identifier) { commits.withLock { $0[identifier] = nil } }

    /// Returns whether a commit was applied since it is awaited.
    func isApplied(_ identifier: Identifier) -> Bool { commits.withLock { $0[identifier] ?? false } }

    /// Returns the awaited commits among those of a part of the history.
    func awaited(in changes: [ReplicationChange]) -> [Identifier] {
        commits.withLock { commits in
            commits.isEmpty ? [] : changes.flatMap { $0.identifiers.filter { commits[$0] == false } }
        }
    }

    /// Forgets which commits were applied, because the cursor may be in another history now.
    func forget() {
        commits.withLock { commits in
            for (identifier, isApplied) in commits where isApplied { commits[identifier] = false }
        }
    }

    /// Takes note that commits were applied.
    func noteApplied(_ identifiers: [Identifier]) {
        guard !identifiers.isEmpty else { return }
        commits.withLock { commits in
            for identifier in identifiers where commits[identifier] != nil { commits[identifier] = true }
        }
    }
}
