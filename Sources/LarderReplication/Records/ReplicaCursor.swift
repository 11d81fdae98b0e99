/// The position up to which commits of the cluster have been applied to a replica.
struct ReplicaCursor: Sendable, Hashable {
    var position: ReplicationPosition
    /// The last known time of the engine.
    var instant: ReplicationInstant
    /// The wall clock of this machine when ``instant`` was received, in milliseconds since 1970.
    var clock: Int64

    var encoded: [UInt8] {
        var writer = RecordWriter(reserving: 33)
        writer.append(position.revision)
        writer.append(position.token)
        writer.append(instant.milliseconds)
        writer.append(clock)
        return writer.bytes
    }

    init(position: ReplicationPosition, instant: ReplicationInstant, clock: Int64) {
        self.position = position
        self.instant = instant
        self.clock = clock
    }

    init(decoding bytes: [UInt8]) throws(RecordReader.Failure) {
        var reader = try RecordReader(bytes)
        position = ReplicationPosition(revision: try reader.number(), token: try reader.number())
        instant = ReplicationInstant(milliseconds: try reader.integer())
        clock = try reader.integer()
        try reader.end()
    }
}

/// The record that names the store of the cluster to which a replica belongs.
struct ReplicaHeader: Sendable, Hashable {
    let identity: [UInt8]
    /// A random number with which the engine tells its replicas apart.
    let replica: UInt64

    var encoded: [UInt8] {
        var writer = RecordWriter()
        writer.append(identity)
        writer.append(replica)
        return writer.bytes
    }

    init(identity: [UInt8], replica: UInt64) {
        self.identity = identity
        self.replica = replica
    }

    init(decoding bytes: [UInt8]) throws(RecordReader.Failure) {
        var reader = try RecordReader(bytes)
        identity = try reader.bytes()
        replica = try reader.number()
        try reader.end()
    }
}

/// The record of the confirmed entry under a key to which there are pending writes.
struct ConfirmedRecord: Sendable, Hashable {
    /// The entry, or `nil` if the cluster has no value under the key.
    let entry: ReplicaEntry?

    var encoded: [UInt8] {
        var writer = RecordWriter(reserving: 8 + (entry?.value.count ?? 0))
        writer.append(entry?.value)
        writer.append(entry?.expiry?.milliseconds)
        return writer.bytes
    }

    init(_ entry: ReplicaEntry?) { self.entry = entry }

    init(decoding bytes: [UInt8]) throws(RecordReader.Failure) {
        var reader = try RecordReader(bytes)
        let value = try reader.optionalBytes()
        let expiry = try reader.optionalInteger().map(ReplicationInstant.init(milliseconds:))
        entry = value.map { ReplicaEntry($0, until: expiry) }
        try reader.end()
    }
}
