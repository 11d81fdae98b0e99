#if Command
import ArgumentParser
import Dispatch
import Foundation
import LarderCore
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
        let signals = [SIGINT, SIGTERM].map { ($0, inbox.end(on: $0)) }
        defer {
            observation.cancel()
            for (number, source) in signals {
                source.cancel()
                signal(number, SIG_DFL)
            }
        }
        var printed = 0
        while let events = inbox.next() {
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
    private struct State {
        var events: [StoreEvent] = []
        var isEnded = false
    }

    private let state = Mutex(State())
    private let arrived = DispatchSemaphore(value: 0)

    func add(_ event: StoreEvent) {
        state.withLock { $0.events.append(event) }
        arrived.signal()
    }

    /// Ends the waiting when the process gets this signal, which no longer ends the process.
    func end(on number: Int32) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { [self] in
            state.withLock { $0.isEnded = true }
            arrived.signal()
        }
        source.resume()
        return source
    }

    /// What has arrived, after at most a quarter of a second; `nil` at the end.
    func next() -> [StoreEvent]? {
        _ = arrived.wait(timeout: .now() + .milliseconds(250))
        return state.withLock { state in
            if state.isEnded, state.events.isEmpty { return nil }
            defer { state.events = [] }
            return state.events
        }
    }
}
#endif
