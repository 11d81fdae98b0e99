public import LarderCore

/// A commit of this replica that the cluster did not take, and that was rolled back.
public struct RejectedCommit: Sendable {
    /// The reason for which a commit was rejected.
    public enum Reason: Sendable, Hashable {
        /// An expectation did not hold in the cluster.
        case refused
        /// An expectation was about a value of another rejected commit.
        case stoodOnRejected
        /// The cluster no longer knows whether an earlier attempt succeeded, so the commit may have been made.
        case unknown
        /// The cluster can't hold a key or a value of the commit.
        case notStorable(String)
    }

    /// A write of a rejected commit.
    public struct Write: Sendable, Hashable {
        /// The full key.
        public let key: String
        /// The value that was to be written, or `nil` if the key was to be removed.
        public let value: StoredValue?

        /// Creates a write, to compare with those of a rejected commit.
        ///
        /// - Parameters:
        ///   - key: See ``key``.
        ///   - value: See ``value``.
        public init(key: String, value: StoredValue?) {
            self.key = key
            self.value = value
        }
    }

    /// The number under which the commit is listed.
    public let number: Int64
    /// The reason for which the commit was rejected.
    public let reason: Reason
    /// The writes that were rolled back, without those of reserved keys.
    public let writes: [Write]
}

/// The record of a rejected commit.
struct RejectedRecord {
    let reason: RejectedCommit.Reason
    let commit: PendingCommit

    func published(_ number: Int64) throws -> RejectedCommit {
        var writes: [RejectedCommit.Write] = []
        for write in commit.writes {
            let key = try StoreKey(replicated: write.key)
            guard !key.isReserved else { continue }
            writes.append(.init(key: key.text, value: try write.value.map { try StoredValue(decoding: $0) }))
        }
        return RejectedCommit(number: number, reason: reason, writes: writes)
    }

    var encoded: [UInt8] {
        var writer = RecordWriter(reserving: 128)
        var message = ""
        switch reason {
        case .refused: writer.append(UInt8(0))
        case .stoodOnRejected: writer.append(UInt8(1))
        case .unknown: writer.append(UInt8(2))
        case .notStorable(let text):
            writer.append(UInt8(3))
            message = text
        }
        writer.append(Array(message.utf8))
        commit.write(to: &writer)
        return writer.bytes
    }

    init(_ reason: RejectedCommit.Reason, _ commit: PendingCommit) {
        self.reason = reason
        self.commit = commit
    }

    init(decoding bytes: [UInt8]) throws(RecordReader.Failure) {
        var reader = try RecordReader(bytes)
        let code = try reader.byte()
        let message = String(decoding: try reader.bytes(), as: UTF8.self)
        switch code {
        case 0: reason = .refused
        case 1: reason = .stoodOnRejected
        case 2: reason = .unknown
        case 3: reason = .notStorable(message)
        default: throw .damaged
        }
        commit = try PendingCommit(number: 0, from: &reader)
        try reader.end()
    }
}
