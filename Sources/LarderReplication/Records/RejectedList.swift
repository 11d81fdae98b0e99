import LarderCore

/// The record that describes the list of rejected commits.
struct RejectedList: Sendable, Hashable {
    /// No listed commit has a lower number.
    var first: Int64 = 0
    /// The number of the next rejected commit.
    var next: Int64 = 0
    /// The number of the first commit that the rule of the store has not handled.
    var unhandled: Int64 = 0

    init() {}

    /// Creates the list that `value` describes, or returns `nil` if `value` describes none.
    init?(_ value: StoredValue) {
        guard case .array(let numbers) = value, numbers.count == 3, case .int(let first) = numbers[0],
            case .int(let next) = numbers[1], case .int(let unhandled) = numbers[2], first >= 0,
            first <= next, next - first <= Replica.mostCommits, (first...next).contains(unhandled)
        else { return nil }
        (self.first, self.next, self.unhandled) = (first, next, unhandled)
    }

    /// The numbers that may be listed.
    var numbers: Range<Int64> { first..<next }

    private var value: StoredValue? {
        self == RejectedList() ? nil : .array([.int(first), .int(next), .int(unhandled)])
    }

    /// Adds the change of this list to `changed`, which expects this list to be unchanged until then.
    func change(to changed: RejectedList, in batch: inout StoreBatch) {
        batch.expect(value, at: ReplicaKeys.rejected)
        batch.write(changed.value, for: ReplicaKeys.rejected)
    }
}

extension Replica {
    /// Adds the removal of one rejected commit from the list, after the rule has handled it.
    func discard(_ number: Int64, in batch: inout StoreBatch) throws {
        let list = try rejectedList()
        var changed = list
        batch.remove(ReplicaKeys.rejected(number))
        changed.unhandled = max(list.unhandled, number + 1)
        // The list must not keep growing if the rule replaces every commit.
        if number == list.first {
            changed.first = number + 1
            while changed.first < list.next, try base.get(ReplicaKeys.rejected(changed.first)) == nil {
                changed.first += 1
            }
            changed.unhandled = max(changed.unhandled, changed.first)
        }
        list.change(to: changed, in: &batch)
    }

    /// Adds rejected commits to the end of the list, and removes the oldest ones if the list would be longer than `limit`.
    ///
    /// Commits that the rule has not handled are never removed.
    ///
    /// - Returns: The number of commits that are removed.
    func note(_ rejected: [RejectedRecord], keeping limit: Int, in batch: inout StoreBatch) throws -> Int {
        let list = try rejectedList()
        var changed = list
        for record in rejected {
            batch.set(record: record.encoded, for: ReplicaKeys.rejected(changed.next))
            changed.next += 1
        }
        var dropped = 0
        if changed.numbers.count > limit {
            // Commits that the rule has replaced are missing among the numbers.
            var listed = try list.numbers.count { try isListed($0) } + rejected.count
            while changed.first < list.unhandled {
                let isListed = try isListed(changed.first)
                guard !isListed || listed > limit || changed.numbers.count > limit * 2 + Self.mostMissing else { break }
                if isListed {
                    batch.remove(ReplicaKeys.rejected(changed.first))
                    dropped += 1
                    listed -= 1
                }
                changed.first += 1
            }
        }
        list.change(to: changed, in: &batch)
        return dropped
    }

    /// The maximum number of missing commits between those of a short list.
    private static let mostMissing = 1_000

    private func isListed(_ number: Int64) throws -> Bool { try base.get(ReplicaKeys.rejected(number)) != nil }
}
