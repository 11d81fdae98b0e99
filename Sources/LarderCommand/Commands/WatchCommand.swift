#if Command
import ArgumentParser
import Foundation
import LarderCore
import LarderFiles
import Synchronization

struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Prints changes as they are made, by any process, until it is interrupted.",
        discussion: """
            Of a device store, each commit of any process is seen. Of the other kinds the file is looked at four times a \
            second, and several commits in between are one. --format json prints an object in a line for each key.
            """
    )

    @Option(help: "End after this many changed keys.")
    var count: Int?

    @OptionGroup var output: FormatOptions
    @OptionGroup var keys: KeyOptions
    @OptionGroup var store: StoreOptions

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count is a number of changes: give at least 1.") }
    }

    func run() throws {
        let console = Console.current
        let store = try store.opener.openExisting(for: .writing)
        let inbox = Inbox()
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
            // A store in a whole file notices others' commits when it is read.
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
        case (.missed(let count), .table): ["\(count) commits were missed: read again what matters."]
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

/// What is to be printed, from whatever thread it comes.
private final class Inbox: Sendable {
    private let events = Mutex<[StoreEvent]>([])
    private let arrived = ThreadSemaphore()

    func add(_ event: StoreEvent) {
        events.withLock { $0.append(event) }
        arrived.signal()
    }

    /// What has arrived, after at most a quarter of a second.
    func next() -> [StoreEvent] {
        arrived.wait(within: .milliseconds(250))
        return events.withLock { events in
            defer { events = [] }
            return events
        }
    }
}

/// The signals that end the command, and not the process where it stands.
private enum Interruption {
    private static let flag = Atomic(false)

    static var hasCome: Bool { flag.load(ordering: .acquiring) }

    static func begin() {
        // Made here and not in a signal handler, which may do no more than store to it.
        flag.store(false, ordering: .releasing)
        var ours = sigset_t()
        sigemptyset(&ours)
        for number in [SIGINT, SIGTERM] {
            signal(number) { _ in Interruption.flag.store(true, ordering: .releasing) }
            sigaddset(&ours, number)
        }
        // A program that starts this one from a thread of Dispatch hands down a mask that blocks them.
        pthread_sigmask(SIG_UNBLOCK, &ours, nil)
    }

    static func end() { for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) } }
}
#endif
