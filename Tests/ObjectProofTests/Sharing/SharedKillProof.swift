#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import LarderTestSupport
import ObjectStorageModels

/// Two processes that write to one file, of which one or both are killed and started again.
struct SharedKillProof {
    /// The number of saves whose objects a writer keeps, so that the file stays small.
    private static let kept: Int64 = 20
    /// The number of entries, and of notes, in each save.
    private static let objects: Int64 = 2

    private struct Writer {
        let name: String
        let acknowledged: SharedNumber
        let process: LedgerProcess
    }

    /// The numbers of a writer's saves that are in the file.
    private struct Stored {
        let first, last, entries, notes: Int64
    }

    private let folder: TemporaryDirectory
    private var writers: [Writer] = []
    /// The number of killed processes.
    private(set) var kills = 0
    /// The number of saves that were in the file although the process was killed before it acknowledged them.
    private(set) var unacknowledged = 0

    /// Starts both processes.
    init() throws {
        folder = try TemporaryDirectory()
        // Both processes would create the file.
        try Ledger.open(url.path).close()
        writers = try ["a", "b"].map { try start($0) }
    }

    private var url: URL { folder.url("ledger.sqlite") }
    /// The number of saves that were acknowledged.
    var saves: Int64 { writers.reduce(0) { $0 + $1.acknowledged.value } }

    private func start(_ name: String) throws -> Writer {
        try Writer(
            name: name,
            acknowledged: SharedNumber(at: folder.path("acknowledged-\(name)")),
            process: .saving(name, url, in: folder, ["objects=\(Self.objects)", "kept=\(Self.kept)"])
        )
    }

    /// Kills one of the processes, or sometimes both, after some saves, and checks the file while the other process writes.
    ///
    /// - Returns: What is wrong.
    mutating func kill(_ random: inout some RandomNumberGenerator) throws -> [String] {
        let victims = [[0], [1], [0], [1], [0], [1], [0, 1]].randomElement(using: &random) ?? [0]
        for victim in victims { try waitForSaves(of: victim, count: Int64.random(in: 1...20, using: &random)) }
        for victim in victims { writers[victim].process.send(SIGKILL) }
        for victim in victims { writers[victim].process.process.waitUntilExit() }
        kills += victims.count
        let survivors = writers.indices.filter { !victims.contains($0) }
        let before = writers.map(\.acknowledged.value)
        // A process that is killed with the lock must not stop the other one.
        for survivor in survivors { try waitForSaves(of: survivor, count: 1) }
        var problems = try check(victims, before)
        for victim in victims {
            if writers[victim].process.process.terminationReason != .uncaughtSignal {
                problems.append("writer \(writers[victim].name) ended by itself")
            }
            writers[victim] = try start(writers[victim].name)
        }
        return problems
    }

    /// Ends both processes, and verifies the file.
    ///
    /// - Returns: What is wrong.
    mutating func finish() throws -> [String] {
        for writer in writers { writer.process.kill() }
        let problems = try check(Array(writers.indices), writers.map(\.acknowledged.value))
        let manager = try Ledger.open(url.path)
        defer { try? manager.close() }
        return try problems + manager.verify().problems.map { "\($0)" }
    }

    private func waitForSaves(of writer: Int, count: Int64) throws {
        let (acknowledged, process) = (writers[writer].acknowledged, writers[writer].process.process)
        let wanted = acknowledged.value + count
        try blockUntil(within: .seconds(120), "\(count) saves by writer \(writers[writer].name)") {
            acknowledged.value >= wanted || !process.isRunning
        }
    }

    /// Checks the integrity of the file, and that it contains all acknowledged saves.
    private mutating func check(_ ended: [Int], _ acknowledged: [Int64]) throws -> [String] {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: url.path, configuration: configuration)
        defer { try? queue.close() }
        let (integrity, stored) = try queue.read { database in
            (
                try String.fetchAll(database, sql: "PRAGMA integrity_check"),
                try writers.map { try Self.stored($0.name, database) }
            )
        }
        var problems = integrity == ["ok"] ? [] : integrity
        for (index, (found, number)) in zip(stored, acknowledged).enumerated() {
            let name = writers[index].name
            if found.last < number {
                problems.append("writer \(name): \(number) saves acknowledged, \(found.last) stored")
            }
            let kept = min(found.last, Self.kept)
            if found.last - found.first + 1 != kept, kept > 0 {
                problems.append("writer \(name): saves \(found.first) to \(found.last) are stored")
            }
            if found.entries != kept * Self.objects || found.notes != found.entries {
                problems.append(
                    "writer \(name): \(found.entries) entries and \(found.notes) notes of \(kept) saves are stored"
                )
            }
            guard ended.contains(index) else { continue }
            if found.last > number + 1 { problems.append("writer \(name): \(found.last) saves stored after \(number)") }
            if found.last == number + 1 { unacknowledged += 1 }
        }
        return problems
    }

    private static func stored(_ writer: String, _ database: Database) throws -> Stored {
        func number(_ sql: String) throws -> Int64 { try Int64.fetchOne(database, sql: sql, arguments: [writer]) ?? 0 }
        return try Stored(
            first: number("SELECT min(number) FROM Entry WHERE writer = ?"),
            last: number("SELECT max(number) FROM Entry WHERE writer = ?"),
            entries: number("SELECT count(*) FROM Entry WHERE writer = ?"),
            notes: number("SELECT count(*) FROM Note WHERE writer = ?")
        )
    }
}
#endif
