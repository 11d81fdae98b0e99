/// A value with its expiry, as the cluster keeps it or as reads see it.
struct ReplicaEntry: Sendable, Hashable {
    /// The encoded value.
    let value: [UInt8]
    /// The instant in the engine's time at which the value expires, or `nil` if it never expires.
    let expiry: ReplicationInstant?

    init(_ value: [UInt8], until expiry: ReplicationInstant? = nil) {
        self.value = value
        self.expiry = expiry
    }
}

extension ReplicationCommit.Write {
    /// The entry that this write leaves under its key, or `nil` if it removes the key.
    var entry: ReplicaEntry? { value.map { ReplicaEntry($0, until: expiry) } }
}
