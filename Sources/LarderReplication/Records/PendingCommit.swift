import LarderCore

/// A commit in the queue of a replica, which the cluster has not confirmed yet.
struct PendingCommit: Sendable, Hashable {
    let number: Int64
    let identifier: ReplicationCommit.Identifier
    /// The last known time of the engine when the identifier was drawn, or `nil` before the first contact.
    var drawn: ReplicationInstant?
    let expectations: [ReplicationCommit.Expectation]
    /// The writes, with one for each key.
    let writes: [ReplicationCommit.Write]

    /// The commit to send to an engine.
    var commit: ReplicationCommit {
        ReplicationCommit(identifiers: [identifier], drawn: drawn, expectations: expectations, writes: writes)
    }
}

// The encoding in Documentation/Formats/replication-v1.md.
extension PendingCommit {
    var encoded: [UInt8] {
        var writer = RecordWriter(reserving: 64 + writes.count * 64)
        write(to: &writer)
        return writer.bytes
    }

    func write(to writer: inout RecordWriter) {
        writer.append(identifier.session)
        writer.append(identifier.number)
        writer.append(drawn?.milliseconds)
        writer.append(count: expectations.count)
        for expectation in expectations {
            switch expectation {
            case .value(let value, let key):
                writer.append(UInt8(0))
                writer.append(key)
                writer.append(value)
            case .entries(let entries, let prefix):
                writer.append(UInt8(1))
                writer.append(prefix)
                writer.append(count: entries.count)
                for entry in entries {
                    writer.append(entry.key)
                    writer.append(entry.value)
                }
            }
        }
        writer.append(count: writes.count)
        for write in writes {
            writer.append(write.key)
            writer.append(write.value)
            writer.append(write.expiry?.milliseconds)
        }
    }

    init(number: Int64, decoding bytes: [UInt8]) throws(RecordReader.Failure) {
        var reader = try RecordReader(bytes)
        self = try PendingCommit(number: number, from: &reader)
        try reader.end()
    }

    init(number: Int64, from reader: inout RecordReader) throws(RecordReader.Failure) {
        self.number = number
        identifier = .init(session: try reader.number(), number: try reader.number())
        drawn = try reader.optionalInteger().map(ReplicationInstant.init(milliseconds:))
        var expectations: [ReplicationCommit.Expectation] = []
        for _ in 0..<(try reader.count()) { expectations.append(try Self.expectation(from: &reader)) }
        self.expectations = expectations
        var writes: [ReplicationCommit.Write] = []
        for _ in 0..<(try reader.count()) {
            let key = try reader.bytes()
            let value = try reader.optionalBytes()
            let expiry = try reader.optionalInteger().map(ReplicationInstant.init(milliseconds:))
            writes.append(.init(value, key: key, expiry: expiry))
        }
        self.writes = writes
    }

    private static func expectation(
        from reader: inout RecordReader
    ) throws(RecordReader.Failure) -> ReplicationCommit.Expectation {
        switch try reader.byte() {
        case 0:
            let key = try reader.bytes()
            return .value(try reader.optionalBytes(), key: key)
        case 1:
            let prefix = try reader.bytes()
            var entries: [ReplicationCommit.Pair] = []
            for _ in 0..<(try reader.count()) {
                let key = try reader.bytes()
                entries.append(.init(key: key, value: try reader.bytes()))
            }
            return .entries(entries, prefix: prefix)
        default: throw .damaged
        }
    }
}
