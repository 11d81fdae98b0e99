import Foundation
package import LarderCore
package import LarderReplication

/// A cluster in a store, for tests in which several processes share one cluster through a file.
///
/// Each commit is one transaction of the store, so the cluster is as durable and as consistent as the store. The engine remembers all
/// verdicts and the whole history.
package final class StoredEngine: ReplicationEngine {
    private let store: any KeyValueStore
    // The keys of the store are twice as long.
    package let limits = StoreLimits(keyLength: 1_000)
    package var name: String { store.inspectionName }

    private static let state = StoreKey("state")
    /// The number of times that a transaction is repeated because of other processes.
    private static let attempts = 10_000

    /// Creates an engine, and the cluster if the store is empty.
    package init(_ store: any KeyValueStore) throws {
        self.store = store
        let first = State(
            identity: Data((0..<16).map { _ in UInt8.random(in: 0 ... .max) }),
            firstToken: .random(in: 0 ... .max)
        )
        _ = try store.compareAndSet(Self.state, expecting: nil, to: first.stored)
    }

    /// The row of the store in a database, so to speak.
    private struct State {
        var identity: Data
        var firstToken: UInt64
        var revision: UInt64 = 0
        var token: UInt64
        /// The time of the last commit, in milliseconds since 1970.
        var latest: Int64 = 0

        init(identity: Data, firstToken: UInt64) {
            self.identity = identity
            self.firstToken = firstToken
            token = firstToken
        }

        init(_ stored: StoredValue?) throws {
            guard case .array(let parts)? = stored, parts.count == 5, case .data(let identity) = parts[0] else {
                throw Unreadable()
            }
            self.init(identity: identity, firstToken: try parts[1].bits)
            revision = try parts[2].bits
            token = try parts[3].bits
            latest = Int64(bitPattern: try parts[4].bits)
        }

        var stored: StoredValue {
            .array([.data(identity), .bits(firstToken), .bits(revision), .bits(token), .int(latest)])
        }

        var position: ReplicationPosition { ReplicationPosition(revision: revision, token: token) }

        /// The time of the cluster, which never goes back.
        var now: Int64 { max(latest, Int64(Date().timeIntervalSince1970 * 1000)) }
    }

    fileprivate struct Unreadable: Error {}

    // MARK: - Calls

    package func snapshot(
        receive: @escaping @Sendable ([ReplicationSnapshot.Entry]) throws -> Void
    ) async throws -> ReplicationSnapshot {
        while true {
            try Task.checkCancellation()
            let stored = try store.get(Self.state)
            let entries = try store.entries(prefix: Self.entryPrefix).map { entry in
                try Self.entry(entry.value, Self.bytes(of: entry.key))
            }
            guard try store.get(Self.state) == stored else { continue }
            let state = try State(stored)
            try receive(entries)
            return ReplicationSnapshot(
                identity: Array(state.identity),
                position: state.position,
                instant: ReplicationInstant(milliseconds: state.now)
            )
        }
    }

    package func commit(_ commit: ReplicationCommit) async throws -> ReplicationAnswer {
        try Task.checkCancellation()
        return try store.transaction(attempts: Self.attempts) { transaction -> ReplicationAnswer in
            var state = try State(transaction.get(Self.state))
            let verdicts = try commit.identifiers.map { try verdict(about: $0, &transaction) }
            if let verdict = verdicts[0], verdicts.count == 1 { return verdict }
            if verdicts.contains(where: { $0 != nil }) {
                let positions = Set(
                    verdicts.map { verdict -> ReplicationPosition? in
                        if case .committed(let position)? = verdict { position } else { nil }
                    }
                )
                if positions.count == 1, let position = positions.first.flatMap(\.self) {
                    return .committed(at: position)
                }
                return .refused(.divided, at: state.position)
            }
            let now = state.now
            state.latest = now
            guard commit.writes.allSatisfy({ $0.key.count <= limits.keyLength }) else {
                return .refused(.invalid("a key is too long"), at: state.position)
            }
            let holds = try commit.expectations.allSatisfy { try self.holds($0, now, &transaction) }
            let answer: ReplicationAnswer
            if holds {
                state.revision += 1
                state.token = .random(in: 0 ... .max)
                answer = .committed(at: state.position)
                for write in commit.writes { try apply(write, &transaction) }
                try transaction.set(Self.stored(commit, state.token), for: Self.changeKey(state.revision))
            } else {
                answer = .refused(.expectation, at: state.position)
            }
            try transaction.set(state.stored, for: Self.state)
            for identifier in commit.identifiers { try note(answer, about: identifier, &transaction) }
            return answer
        }
    }

    package func outcome(
        of identifier: ReplicationCommit.Identifier,
        drawn: ReplicationInstant?
    ) async throws -> ReplicationAnswer {
        try store.transaction(attempts: Self.attempts) { transaction -> ReplicationAnswer in
            if let verdict = try verdict(about: identifier, &transaction) { return verdict }
            let answer = ReplicationAnswer.refused(.planted, at: try State(transaction.get(Self.state)).position)
            try note(answer, about: identifier, &transaction)
            return answer
        }
    }

    package func changes(
        after position: ReplicationPosition,
        limit: ReplicationPageLimit,
        replica: UInt64
    ) async throws -> ReplicationPage {
        try Task.checkCancellation()
        let state = try State(store.get(Self.state))
        let known = position.revision == 0 ? state.firstToken : try self.change(position.revision)?.position.token
        guard position.revision <= state.revision, known == position.token else { return .historyLost }
        var (changes, bytes) = ([ReplicationChange](), 0)
        while let change = try self.change(position.revision + UInt64(changes.count) + 1) {
            bytes += change.byteCount
            guard changes.isEmpty || (changes.count < limit.commits && bytes <= limit.bytes) else { break }
            changes.append(change)
        }
        return .changes(changes, at: ReplicationInstant(milliseconds: state.now))
    }

    package func waitForChanges(after position: ReplicationPosition) async throws {
        for _ in 0..<50 {
            guard try State(store.get(Self.state)).position == position else { return }
            try await SystemTimeSource().sleep(for: .milliseconds(2))
        }
    }

    /// Returns the position before the first commit.
    package func firstPosition() async throws -> ReplicationPosition {
        ReplicationPosition(revision: 0, token: try State(store.get(Self.state)).firstToken)
    }

    // MARK: - Judging

    private func holds(
        _ expectation: ReplicationCommit.Expectation,
        _ now: Int64,
        _ transaction: inout StoreTransaction
    ) throws -> Bool {
        func value(_ stored: StoredValue?) throws -> [UInt8]? {
            guard let entry = try stored.map({ try Self.entry($0, []) }) else { return nil }
            return entry.expiry.map { $0.milliseconds > now } ?? true ? entry.value : nil
        }
        switch expectation {
        case .value(let expected, let key): return try value(transaction.get(Self.entryKey(key))) == expected
        case .entries(let expected, let prefix):
            let reserved = Array("\u{0}larder".utf8)
            var found: [ReplicationCommit.Pair] = []
            for entry in try transaction.entries(prefix: Self.entryKey(prefix).text) {
                let key = try Self.bytes(of: entry.key)
                guard !key.starts(with: reserved), let held = try value(entry.value) else { continue }
                found.append(ReplicationCommit.Pair(key: key, value: held))
            }
            return found == expected
        }
    }

    private func apply(_ write: ReplicationCommit.Write, _ transaction: inout StoreTransaction) throws {
        guard let value = write.value else { return try transaction.remove(Self.entryKey(write.key)) }
        var parts: [StoredValue] = [.data(Data(value))]
        if let expiry = write.expiry { parts.append(.int(expiry.milliseconds)) }
        try transaction.set(.array(parts), for: Self.entryKey(write.key))
    }

    private func verdict(
        about identifier: ReplicationCommit.Identifier,
        _ transaction: inout StoreTransaction
    ) throws -> ReplicationAnswer? {
        guard let stored = try transaction.get(Self.verdictKey(identifier)) else { return nil }
        guard case .array(let parts) = stored, parts.count == 3, case .string(let kind) = parts[0] else {
            throw Unreadable()
        }
        let position = ReplicationPosition(revision: try parts[1].bits, token: try parts[2].bits)
        switch kind {
        case "committed": return .committed(at: position)
        case "planted": return .refused(.planted, at: position)
        default: return .refused(.expectation, at: position)
        }
    }

    private func note(
        _ answer: ReplicationAnswer,
        about identifier: ReplicationCommit.Identifier,
        _ transaction: inout StoreTransaction
    ) throws {
        let (kind, position): (String, ReplicationPosition)
        switch answer {
        case .committed(let place): (kind, position) = ("committed", place)
        case .refused(.planted, let place): (kind, position) = ("planted", place)
        case .refused(_, let place): (kind, position) = ("refused", place)
        case .forgotten, .unknown: return
        }
        let stored = StoredValue.array([.string(kind), .bits(position.revision), .bits(position.token)])
        try transaction.set(stored, for: Self.verdictKey(identifier))
    }
}

// The layout of the store: keys are hexadecimal, which keeps their order.
extension StoredEngine {
    private static let entryPrefix = "entry:"

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func entryKey(_ key: [UInt8]) -> StoreKey { StoreKey(entryPrefix + hexadecimal(key)) }

    private static func bytes(of key: String) throws -> [UInt8] {
        let digits = Array(key.utf8.dropFirst(entryPrefix.utf8.count))
        return try stride(from: 0, to: digits.count - 1, by: 2).map { place in
            guard let byte = UInt8(String(decoding: digits[place...place + 1], as: UTF8.self), radix: 16) else {
                throw Unreadable()
            }
            return byte
        }
    }

    private static func changeKey(_ revision: UInt64) -> StoreKey { StoreKey("change:\(revision)") }

    private static func verdictKey(_ identifier: ReplicationCommit.Identifier) -> StoreKey {
        StoreKey("verdict:\(identifier.session):\(identifier.number)")
    }

    private static func entry(_ stored: StoredValue, _ key: [UInt8]) throws -> ReplicationSnapshot.Entry {
        guard case .array(let parts) = stored, case .data(let value)? = parts.first else { throw Unreadable() }
        let expiry = parts.count > 1 ? ReplicationInstant(milliseconds: Int64(bitPattern: try parts[1].bits)) : nil
        return ReplicationSnapshot.Entry(key: key, value: Array(value), expiry: expiry)
    }

    private static func stored(_ commit: ReplicationCommit, _ token: UInt64) -> StoredValue {
        let identifiers = commit.identifiers.flatMap { [StoredValue.bits($0.session), .bits($0.number)] }
        let writes = commit.writes.map { write in
            var parts: [StoredValue] = [.data(Data(write.key))]
            if let value = write.value { parts.append(.data(Data(value))) }
            if let expiry = write.expiry { parts.append(.int(expiry.milliseconds)) }
            return StoredValue.array(parts)
        }
        return .array([.bits(token), .array(identifiers), .array(writes)])
    }

    private func change(_ revision: UInt64) throws -> ReplicationChange? {
        guard let stored = try store.get(Self.changeKey(revision)) else { return nil }
        guard case .array(let parts) = stored, parts.count == 3, case .array(let identifiers) = parts[1],
            case .array(let writes) = parts[2]
        else { throw Unreadable() }
        return ReplicationChange(
            position: ReplicationPosition(revision: revision, token: try parts[0].bits),
            identifiers: try stride(from: 0, to: identifiers.count, by: 2).map { place in
                ReplicationCommit.Identifier(
                    session: try identifiers[place].bits,
                    number: try identifiers[place + 1].bits
                )
            },
            writes: try writes.map { try Self.write($0) }
        )
    }

    private static func write(_ stored: StoredValue) throws -> ReplicationCommit.Write {
        guard case .array(let parts) = stored, case .data(let key)? = parts.first else { throw Unreadable() }
        guard parts.count > 1, case .data(let value) = parts[1] else { return .init(nil, key: Array(key)) }
        let expiry = parts.count > 2 ? ReplicationInstant(milliseconds: Int64(bitPattern: try parts[2].bits)) : nil
        return .init(Array(value), key: Array(key), expiry: expiry)
    }
}

extension StoredValue {
    fileprivate static func bits(_ number: UInt64) -> StoredValue { .int(Int64(bitPattern: number)) }

    /// The bits of a stored integer.
    fileprivate var bits: UInt64 {
        get throws {
            guard case .int(let number) = self else { throw StoredEngine.Unreadable() }
            return UInt64(bitPattern: number)
        }
    }
}
