import Foundation
import LarderReplication

/// What an instance knows about its replica.
package struct InstanceStatus: Codable, Sendable {
    package let instance: String
    package let position: UInt64?
    package let pending: Int
    package let rejected: [String]
    package let secondsSinceContact: Double?
    package let failure: String?

    package init(_ store: ReplicatedStore, instance: String) throws {
        let freshness = store.freshness
        self.instance = instance
        position = freshness.position?.revision
        pending = freshness.pending
        rejected = try store.rejected().map { commit in
            let writes = commit.writes.map { "\($0.key) = \($0.value.map(String.init(describing:)) ?? "removed")" }
            return writes.joined(separator: ", ")
        }
        secondsSinceContact = freshness.lastContact.map { max(0, Date().timeIntervalSince($0)) }
        failure = freshness.failure
    }
}
