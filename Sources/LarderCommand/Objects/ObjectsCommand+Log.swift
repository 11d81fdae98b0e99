#if Command && Objects
import LarderCore
import LarderFiles
import LarderObjects
import Synchronization

extension ObjectsCommand {
    /// Prints the saves in the history, and with `--follow` each later save, until interrupted.
    func log(_ database: ObjectDatabase, _ console: Console) throws {
        let isJSON = try isJSON()
        guard follow else {
            let saves = try database.saves(after: after, limit: limit)
            guard !isJSON else { return try console.print(JSONWriter.list(saves.map(Self.json))) }
            for line in saves.flatMap(Self.lines) { try console.print(line) }
            return
        }
        let arrived = ThreadSemaphore()
        let hasArrived = Atomic(false)
        let watch = try database.watchingSaves {
            hasArrived.store(true, ordering: .releasing)
            arrived.signal()
        }
        Interruption.begin()
        defer {
            watch.end()
            Interruption.end()
        }
        var (token, printed) = (after, 0)
        while true {
            for save in try database.saves(after: token, limit: limit.map { $0 - printed }) {
                for line in isJSON ? [Self.json(save)] : Self.lines(save) { try console.print(line) }
                token = save.token
                printed += 1
            }
            if printed == limit { return }
            repeat {
                // A signal handler can't wake the thread, so the limit is the longest time until an interruption is noticed.
                arrived.wait(within: .milliseconds(250))
                if Interruption.hasCome { return }
            } while !hasArrived.exchange(false, ordering: .acquiring)
        }
    }

    private static func lines(_ save: ObjectDatabase.Save) -> [String] {
        let author = save.isForeign ? "another program" : save.author?.inOneLine ?? "unknown author"
        let head = ["\(save.token)", DateText.text(save.time), author] + (save.event.map { [$0] } ?? [])
        return [head.joined(separator: "  ")] + save.changes.map { "  " + text($0) }
            + save.values.map { "    " + text($0) }
    }

    private static func text(_ change: ObjectDatabase.Change) -> String {
        let places =
            change.ids.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
            + change.links.map { "\($0.source)/\($0.target)" }
        let properties = change.properties.map { ": " + $0.map(\.inOneLine).joined(separator: ", ") } ?? ""
        return ([change.kind, change.name.inOneLine] + [places.joined(separator: ", ")]).filter { !$0.isEmpty }
            .joined(separator: " ") + properties
    }

    private static func text(_ values: ObjectDatabase.Values) -> String {
        let list = values.values.map { "\($0.property.inOneLine) = \($0.value?.inOneLine ?? "nil")" }
        let word = values.kind == "deleted" ? "kept" : "old"
        return "\(word) \(values.entity.inOneLine) \(values.id): " + list.joined(separator: ", ")
    }

    private static func json(_ save: ObjectDatabase.Save) -> String {
        JSONWriter.object([
            ("token", String(save.token)), ("time", JSONWriter.string(DateText.text(save.time))),
            ("author", JSONWriter.optional(save.author)), ("isForeign", String(save.isForeign)),
            ("event", JSONWriter.optional(save.event)), ("changes", JSONWriter.list(save.changes.map(json))),
            ("values", JSONWriter.list(save.values.map(json))),
        ])
    }

    private static func json(_ values: ObjectDatabase.Values) -> String {
        JSONWriter.object([
            ("kind", JSONWriter.string(values.kind)), ("name", JSONWriter.string(values.entity)),
            ("id", String(values.id)),
            ("values", JSONWriter.object(values.values.map { ($0.property, JSONWriter.optional($0.value)) })),
        ])
    }

    private static func json(_ change: ObjectDatabase.Change) -> String {
        let ids = change.ids.map { JSONWriter.list([String($0.lowerBound), String($0.upperBound)]) }
        let links = change.links.map { JSONWriter.list([String($0.source), String($0.target)]) }
        return JSONWriter.object([
            ("kind", JSONWriter.string(change.kind)), ("name", JSONWriter.string(change.name)),
            ("ids", JSONWriter.list(ids)), ("links", JSONWriter.list(links)),
            ("properties", change.properties.map(JSONWriter.strings) ?? "null"),
        ])
    }
}
#endif
