import LarderCore

extension Replicator {
    /// Sends the next pending commit, or several that can be sent as one, and handles the answer.
    ///
    /// - Returns: The result of the step, the number of commits that were rolled back, and the number of earlier rejected commits that were
    ///   removed from the list.
    /// - Throws: An error of the engine or the replica, or `UnknownOutcome` if the answer was lost.
    func push() async throws -> (step: ReplicationStep, rejected: Int, dropped: Int) {
        let isKnown = isHistoryKnown
        // The replica may be that of another cluster, which this finds out.
        if !isKnown { _ = try await pull() }
        guard isHistoryKnown else { return (.conflicted, 0, 0) }
        guard try await applyDecided(), let cursor = try replica.cursor() else { return (.advanced, 0, 0) }
        find(cursor.position)
        let leaps = leaps
        let sent = try await next()
        guard let first = sent.first else { return (isKnown ? .idle : .advanced, 0, 0) }
        let commit = Self.joined(sent)
        switch try await calling({ [engine] in try await engine.commit(commit) }) {
        case .committed(let position):
            // A commit that has left the queue meanwhile was found in the changes.
            for commit in sent where queue[commit.number] != nil {
                decided[commit.identifier] = Decision(position: position, applied: cursor.position, leaps: leaps)
            }
            return (.advanced, 0, 0)
        case .refused(.divided, _):
            single.formUnion(sent.map(\.identifier))
            return (.advanced, 0, 0)
        case .refused(.expectation, let position), .refused(.planted, let position):
            guard try await applyRefusal(at: position, since: leaps) else { return (.advanced, 0, 0) }
            // A failover may have lost the refusal before the history was applied, or while it was.
            guard case .refused(_, position) = try await calling({ [engine] in try await engine.commit(commit) })
            else { return (.advanced, 0, 0) }
            return try await reject(sent, as: .refused, since: leaps)
        case .refused(.invalid(let reason), _):
            if sent.count > 1 {
                single.formUnion(sent.map(\.identifier))
                return (.advanced, 0, 0)
            }
            return try await reject([first], as: .notStorable(reason))
        case .forgotten:
            if sent.count > 1 {
                single.formUnion(sent.map(\.identifier))
                return (.advanced, 0, 0)
            }
            return try await reject([first], as: .unknown)
        case .unknown(let error):
            noteFailure()
            throw UnknownOutcome(underlying: error)
        }
    }

    /// Applies the history up to the position at which a commit was refused, and returns whether that was possible.
    ///
    /// The rule decides by the values that refused the commit, and what is visible after the rollback should be those. If the history was
    /// read from a server that is behind, the commit is sent again later, and is refused again. If the history was lost, the refusal may have
    /// been lost with it.
    ///
    /// - Parameters:
    ///   - position: The position at which the commit was refused.
    ///   - before: The number of leaps when the commit was sent.
    /// - Returns: Whether the history up to the position was applied, and is the one in which the commit was refused.
    /// - Throws: An error of the engine or the replica.
    private func applyRefusal(at position: ReplicationPosition, since before: Int) async throws -> Bool {
        while true {
            let step = try await pull()
            guard let reached = try replica.cursor()?.position else { return false }
            find(reached)
            guard leaps == before else { return false }
            if reached.revision >= position.revision { return true }
            guard step != .idle else {
                staleReads += 1
                return false
            }
        }
    }

    private func next() async throws -> [PendingCommit] {
        await beginChange()
        defer { endChange() }
        try queue.refresh(from: replica)
        return nextToSend()
    }

    /// Applies what the engine has said to be made, and returns whether nothing of it is left.
    ///
    /// A commit is sent only after those before it were found in the history. Otherwise it could be made after a failover that has lost
    /// those before it. Reading the history costs little, compared with a commit.
    private func applyDecided() async throws -> Bool {
        guard !decided.isEmpty else { return true }
        let before = Set(decided.keys)
        let step = try await pull()
        // What has left the queue by a step of another instance is no longer awaited.
        for identifier in before where decided[identifier] != nil {
            if try await !isPending(identifier) { decided[identifier] = nil }
        }
        staleReads = step == .idle ? staleReads + 1 : 0
        return decided.isEmpty && step != .idle
    }

    private func isPending(_ identifier: ReplicationCommit.Identifier) async throws -> Bool {
        await beginChange()
        defer { endChange() }
        try queue.refresh(from: replica)
        return queue.number(of: identifier) != nil
    }

    /// Returns the pending commits to send as one.
    private func nextToSend() -> [PendingCommit] {
        let limits = engine.limits
        var sent: [PendingCommit] = []
        var (operations, bytes) = (0, 0)
        for commit in queue.inOrder {
            let isAlone = !commit.mayBeJoined || single.contains(commit.identifier)
            if sent.isEmpty, isAlone { return [commit] }
            let part = commit.commit
            operations += part.operationCount + 1
            bytes += part.byteCount + StoreLimits.bytesOfEachOperation
            if !sent.isEmpty {
                guard !isAlone, commit.expectations == sent[0].expectations, sent.count < Self.mostJoined,
                    operations <= limits.operations / 2, bytes <= limits.bytes / 2,
                    commit.isDrawnNear(sent[0])
                else { break }
            }
            sent.append(commit)
        }
        return sent
    }

    /// The maximum number of pending commits that are sent as one.
    private static var mostJoined: Int { 1_000 }

    /// Returns one commit with the last write of each key.
    ///
    /// The commits must have the same expectations, about keys that none of them writes. So they hold for all commits or for none.
    static func joined(_ commits: [PendingCommit]) -> ReplicationCommit {
        if let only = commits.first, commits.count == 1 { return only.commit }
        var places: [[UInt8]: Int] = [:]
        var writes: [ReplicationCommit.Write] = []
        for write in commits.flatMap(\.writes) {
            if let place = places[write.key] {
                writes[place] = write
            } else {
                places[write.key] = writes.count
                writes.append(write)
            }
        }
        let drawn = commits.map(\.drawn.instant)
        return ReplicationCommit(
            identifiers: commits.map(\.identifier),
            drawn: drawn.contains(nil) ? nil : drawn.compactMap(\.self).min(),
            expectations: commits.first?.expectations ?? [],
            writes: writes
        )
    }
}

extension PendingCommit {
    /// Whether this commit can be sent together with others that have the same expectations.
    ///
    /// The commits of an encrypted store all expect the epoch.
    fileprivate var mayBeJoined: Bool {
        expectations.allSatisfy { expectation in
            guard case .value(_, let key) = expectation else { return false }
            return !writes.contains { $0.key == key }
        }
    }

    /// Whether both identifiers were drawn at nearly the same time.
    ///
    /// A joined commit has the earlier time, and an engine may forget its verdict sooner. The clock of a cluster may have jumped meanwhile.
    fileprivate func isDrawnNear(_ other: PendingCommit) -> Bool {
        guard let time = drawn.instant, let otherTime = other.drawn.instant else {
            return drawn.instant == nil && other.drawn.instant == nil
        }
        return abs(time.milliseconds - otherTime.milliseconds) <= Self.longestJoinedSpan
    }

    /// Half of the time that an engine remembers a verdict longer than its identifier's time demands, in milliseconds.
    private static var longestJoinedSpan: Int64 { 30 * 60_000 }
}

/// The error of a commit whose answer was lost, and which will be sent again.
package struct UnknownOutcome: Error, CustomStringConvertible {
    let underlying: (any Error)?
    package var description: String { "The answer to a commit was lost\(underlying.map { ": \($0)" } ?? "")." }
}
