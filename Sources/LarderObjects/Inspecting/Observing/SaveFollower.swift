#if Objects
internal import Foundation
internal import LarderCore
internal import LarderFiles
internal import Synchronization

/// A follower of the history of a file, which reports the saves of all processes from now on.
///
/// The saves are read on a background thread after ``noteSave()``, which any thread may call at any time.
final class SaveFollower: Sendable {
    /// The maximum number of changes of one save that are reported.
    ///
    /// If there are more, the event ``InspectionEvent/missed`` follows.
    private static let mostChanges = 1_000
    /// The maximum number of saves that are read at once.
    private static let batch = 200

    private struct State {
        /// The token of the last save that was reported.
        var token: Int64
        var hasNews = false
        var isReading = false
        var isEnded = false
        /// The work that reads again, after a read failed.
        var retries: BackgroundThreads.Repetition?
    }

    private let state: Mutex<State>
    private let source: any InspectedSource
    private let pause: Duration
    private let receive: @Sendable (InspectionEvent) -> Void

    /// Creates a follower that begins after the newest save, or returns `nil` if the file has no history.
    ///
    /// - Parameters:
    ///   - source: The file.
    ///   - pause: The time after which a read that failed is tried again.
    ///   - receive: A closure that is called with the events.
    /// - Throws: The error of the first read.
    init?(
        _ source: any InspectedSource,
        pause: Duration = .seconds(1),
        _ receive: @escaping @Sendable (InspectionEvent) -> Void
    ) throws {
        let newest = try source.reading { statements -> Int64? in
            guard try SharingSchema.exists(statements) else { return nil }
            return try SaveReader(statements: statements).newest()
        }
        guard let newest else { return nil }
        state = Mutex(State(token: newest))
        self.source = source
        self.pause = pause
        self.receive = receive
    }

    func end() {
        let retries = state.withLock { state in
            state.isEnded = true
            return state.retries.take()
        }
        retries?.end()
    }

    /// Notes that a process may have saved.
    func noteSave() {
        let isFirst = state.withLock { state in
            state.hasNews = true
            guard !state.isReading, !state.isEnded else { return false }
            state.isReading = true
            return true
        }
        guard isFirst else { return }
        BackgroundThreads.shared.perform { [self] in follow() }
    }

    /// Reads and reports saves until there are no more.
    private func follow() {
        while true {
            let token = state.withLock { state -> Int64? in
                guard state.hasNews, !state.isEnded else {
                    state.isReading = false
                    return nil
                }
                state.hasNews = false
                return state.token
            }
            guard let token else { return }
            let found: (events: [InspectionEvent], last: Int64, isComplete: Bool)
            do {
                found = try events(after: token)
            } catch {
                // A manager that was closed remains closed. Otherwise the database may be busy, or be replaced or checkpointed.
                return retry(canSucceed: (error as? ObjectError)?.code != .expired)
            }
            state.withLock { $0.retries.take() }?.end()
            for event in found.events where !state.withLock(\.isEnded) { receive(event) }
            state.withLock { state in
                state.token = found.last
                if !found.isComplete { state.hasNews = true }
            }
        }
    }

    /// Reads again after a while, until a read succeeds.
    private func retry(canSucceed: Bool) {
        let isNeeded = state.withLock { state in
            state.isReading = false
            return canSucceed && !state.isEnded && state.retries == nil
        }
        guard isNeeded else { return }
        // If no thread can be started, the saves are read with the next one.
        let retries = try? BackgroundThreads.shared.repeat(every: pause) { [weak self] in self?.noteSave() }
        let surplus = state.withLock { state -> BackgroundThreads.Repetition? in
            if state.isEnded || state.retries != nil { return retries }
            state.retries = retries
            return nil
        }
        surplus?.end()
    }

    /// Returns the events of the next saves, the token of the last one, and whether there are no more.
    private func events(after token: Int64) throws -> (events: [InspectionEvent], last: Int64, isComplete: Bool) {
        try source.readingSchema { statements, _, schema in
            let reader = SaveReader(statements: statements)
            let newest = try reader.newest()
            if newest == token { return ([], token, true) }
            // Another program may have removed saves.
            if newest < token { return ([.missed], newest, true) }
            let isExpired = try reader.trimmed() > token
            let saves = try reader.rows(after: token, limit: Self.batch)
            var events: [InspectionEvent] = isExpired ? [.missed] : []
            for save in saves { events += try Self.events(save, schema, statements) }
            // Notes that change nothing are no saves.
            let last = saves.count == Self.batch ? saves.last?.token ?? newest : newest
            return (events, last, last == newest)
        }
    }

    private static func events(
        _ save: SavedRow,
        _ schema: SchemaDescription,
        _ statements: StatementCache
    ) throws -> [InspectionEvent] {
        guard save.changes.scope == .objects else { return [.missed] }
        var changes: [InspectionChange] = []
        var isCut = false
        func add(_ change: @autoclosure () -> InspectionChange) {
            if changes.count < mostChanges { changes.append(change()) } else { isCut = true }
        }
        for group in save.changes.objects {
            let columns = group.kind == .updated ? columnNames(group.properties ?? []) : []
            for id in group.ids.joined() where !isCut {
                add(
                    InspectionChange(
                        table: group.entity,
                        key: String(id),
                        kind: InspectionChange.Kind(group.kind),
                        columns: columns
                    )
                )
            }
        }
        var ends: Set<ReferenceEnd> = []
        for group in save.changes.objects where !isCut {
            for end in try ReferenceEnd.ends(of: group, schema, statements, limit: mostChanges)
            where !isCut && ends.insert(end).inserted {
                add(InspectionChange(table: end.table, key: String(end.key), kind: .updated, columns: [end.column]))
            }
        }
        for group in save.changes.links {
            guard let (owner, relationship) = schema.holder(ofJoinTable: group.joinTable) else { continue }
            if group.pairs.isEmpty { isCut = true }
            for pair in group.pairs where !isCut {
                let ends = [
                    (owner.name, pair.source, relationship.name),
                    (relationship.destination, pair.target, relationship.inverse),
                ]
                for (table, key, column) in ends {
                    add(InspectionChange(table: table, key: String(key), kind: .updated, columns: [column]))
                }
            }
        }
        let event = InspectionEvent.changes(changes, origin: origin(of: save))
        return (changes.isEmpty ? [] : [event]) + (isCut ? [.missed] : [])
    }

    /// Returns the names of changed columns, in which a position in a relationship counts as the relationship.
    private static func columnNames(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.compactMap { name in
            if name.hasSuffix(".folded") { return nil }
            let shown = name.hasSuffix(".position") ? String(name.dropLast(".position".count)) : name
            return seen.insert(shown).inserted ? shown : nil
        }
    }

    private static func origin(of save: SavedRow) -> String {
        if let author = save.author { return author }
        guard let process = save.process else { return "another program" }
        return process == Int64(CurrentProcess.identifier) ? "this process" : "process \(process)"
    }
}

extension InspectionChange.Kind {
    fileprivate init(_ kind: SavedChanges.Kind) {
        self =
            switch kind {
            case .inserted: .inserted
            case .updated: .updated
            case .deleted: .removed
            }
    }
}

extension SchemaDescription {
    /// Returns the entity and the relationship whose links a join table stores.
    fileprivate func holder(ofJoinTable name: String) -> (Entity, Relationship)? {
        for entity in entities {
            if let relationship = entity.relationships.first(where: { "\(entity.name).\($0.name)" == name }) {
                return (entity, relationship)
            }
        }
        return nil
    }
}
#endif
