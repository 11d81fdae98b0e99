import LarderCore

/// The time at which the identifier of a pending commit was drawn.
enum DrawingTime: Sendable, Hashable {
    /// The last known time of the engine.
    case engine(ReplicationInstant)
    /// The wall clock of the machine in milliseconds since 1970, because there was no contact yet.
    case machine(Int64)

    /// The time of the engine, or `nil` if it is not known.
    var instant: ReplicationInstant? { if case .engine(let instant) = self { instant } else { nil } }

    /// Returns the drawing time after the first contact, which was at `contact`.
    ///
    /// Of a copied replica, the other copy may have sent the commit since it was drawn. So the drawing time must not become that of a later
    /// contact, when the verdict may be forgotten already.
    func known(at contact: ReplicationInstant) -> DrawingTime {
        switch self {
        case .engine: self
        case .machine(let clock): .engine(min(contact, ReplicationInstant(milliseconds: clock)))
        }
    }
}

/// A commit in the queue of a replica, which the cluster has not confirmed yet.
struct PendingCommit: Sendable, Hashable {
    let number: Int64
    let identifier: ReplicationCommit.Identifier
    var drawn: DrawingTime
    let expectations: [ReplicationCommit.Expectation]
    /// The writes, with one for each key.
    let writes: [ReplicationCommit.Write]

    /// The commit to send to an engine.
    var commit: ReplicationCommit {
        ReplicationCommit(
            identifiers: [identifier],
            drawn: drawn.instant,
            expectations: expectations,
            writes: writes
        )
    }

    /// The size that counts for the bound of the queue.
    var byteCount: Int64 { Int64(commit.byteCount) }
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
        switch drawn {
        case .machine(let clock):
            writer.append(UInt8(0))
            writer.append(clock)
        case .engine(let instant):
            writer.append(UInt8(1))
            writer.append(instant.milliseconds)
        }
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
        let isKnown = try reader.isPresent()
        let time = try reader.integer()
        drawn = isKnown ? .engine(ReplicationInstant(milliseconds: time)) : .machine(time)
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
