#if Command
import ArgumentParser
import Foundation
import LarderCore

struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Prints the changes that any process makes, until interrupted.",
        discussion: """
            For a device store, the command reports each commit made by any process, and for a store in a cluster those of all \
            machines. Other stores are polled four times per second, and all commits between two polls are reported as one \
            change. --format json prints one line with an object for each changed key.
            """
    )

    @Option(
        help:
            "The number of changed keys to print before the command exits. By default, the command runs until interrupted."
    )
    var count: Int?

    @OptionGroup var output: FormatOptions
    @OptionGroup var keys: KeyOptions
    @OptionGroup var store: StoreOptions

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
    }

    func run() throws {
        let console = Console.current
        let store = try store.opener.openExisting(for: .writing)
        let inbox = Inbox<StoreEvent>()
        let observation = store.observe(prefix: keys.keyPrefix) { inbox.add($0) }
        Interruption.begin()
        defer {
            observation.cancel()
            Interruption.end()
        }
        var printed = 0
        while true {
            let events = inbox.next()
            if events.isEmpty, Interruption.hasCome { return }
            // A single-file store detects commits made by other processes only when it is read.
            _ = try store.revision
            for line in events.flatMap(lines) {
                try console.print(line)
                printed += 1
                if printed == count { return }
            }
        }
    }

    private func lines(_ event: StoreEvent) -> [String] {
        switch (event, output.format) {
        case (.missed(let count), .json): [JSONWriter.object([("missed", String(count))])]
        case (.missed(let count), .table):
            ["\(counted(count, "commit was", "commits were")) missed. Read the values again with `larder list`."]
        case (.change(let change), .json): change.entries.map { Self.json($0, change.origin) }
        case (.change(let change), .table): change.entries.map(Self.text)
        }
    }

    private static func text(_ entry: StoreChange.Entry) -> String {
        let value = entry.new.map { "\($0.kind.rawValue) \(ValueText.text($0).inOneLine)" } ?? "removed"
        return entry.key.inOneLine + "  " + value
    }

    private static func json(_ entry: StoreChange.Entry, _ origin: StoreChange.Origin) -> String {
        JSONWriter.object([
            ("key", JSONWriter.string(entry.key)), ("old", entry.old.map(JSONWriter.typed) ?? "null"),
            ("new", entry.new.map(JSONWriter.typed) ?? "null"), ("origin", JSONWriter.string(origin.description)),
        ])
    }
}
#endif
