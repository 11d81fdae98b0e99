#if Objects
import Foundation
import GRDB
import GRDBSQLite
import LarderCore
@testable import LarderObjects
import LarderTesting

/// A random model, random objects and random edits, all generated from one seed.
struct PairProof: Sendable {
    enum Result: Equatable {
        case migrated
        case refused
        /// The generator made an invalid model, which is an error of the generator.
        case invalid
    }

    struct Outcome {
        let result: Result
        /// The differences from the oracle's predictions.
        let problems: [String]
        /// The kinds of losses that the oracle predicted.
        var kinds: Set<String> = []
    }

    let seed: UInt64
    let edits: [ModelEdit]

    init(seed: UInt64) {
        self.seed = seed
        var random = SeededGenerator(seed: seed ^ 0xED17)
        edits = (0..<Int.random(in: 1...8, using: &random)).map { _ in ModelEdit(seed: random.next()) }
    }

    private init(seed: UInt64, edits: [ModelEdit]) {
        self.seed = seed
        self.edits = edits
    }

    /// Generates the models, the objects, and descriptions of the edits.
    private func make() -> (old: Sketch, new: Sketch, rows: SketchRows, edits: [String]) {
        var random = SeededGenerator(seed: seed)
        let (old, rows) = Sketch.make(&random)
        var new = old
        let texts = edits.compactMap { $0.apply(to: &new) }
        new.declare(changesFrom: old, &random)
        return (old, new, rows, texts)
    }

    /// Migrates in memory, and returns the differences from the oracle's predictions.
    func run() throws -> Outcome {
        let (old, new, rows, _) = make()
        let (oldModel, newModel) = (SketchModel.model(old), SketchModel.model(new))
        guard let resolved = try? newModel.resolved() else { return Outcome(result: .invalid, problems: validity(new)) }
        let oracle = MigrationOracle(old, new, rows)
        let kinds = Set(oracle.losses.map(\.kind))
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase {
            try SQLFunctions.register(on: $0)
            // GRDB's authorizer finds out what a statement changes, for observers, and takes an eighth of the proof's time.
            sqlite3_set_authorizer($0.sqliteConnection, nil, nil)
        }
        let queue = try DatabaseQueue(configuration: configuration)
        return try queue.inDatabase { database in
            try PairFile.create(oldModel, database)
            try PairFile.write(old, rows, database)
            let statementsBefore = try PairFile.statements(database)
            var problems: [String] = []
            let statements = StatementCache(database)
            let stored = try StoredSchema.read(statements, path: "")
            let step = InferredStep(from: try stored.frozen(), to: try resolved.frozen(), isFirstFormat: false)
            let losses = Set(try LossQueries(step, model: resolved, statements).find().map(MigrationOracle.Loss.init))
            problems += difference("loss", losses, oracle.losses)
            if step.refusals.isEmpty != oracle.refusals.isEmpty {
                problems.append("refusals \(step.refusals), expected \(oracle.refusals)")
            }
            var isRefused = !step.refusals.isEmpty || losses.contains { !$0.isAllowed }
            if !isRefused {
                do {
                    try database.inTransaction(.immediate) {
                        _ = try MigrationRun(step, model: resolved, statements).run()
                        try SharingSchema.createTriggers(SchemaDescription(resolved), statements)
                        return .commit
                    }
                } catch {
                    isRefused = true
                    if !oracle.isRefused { problems.append("\(error)") }
                }
                if !isRefused, oracle.isRefused { problems.append("migrated, expected \(oracle.lateRefusals)") }
            }
            let after = try PairFile.read(database)
            if isRefused {
                problems += difference("statement", Set(try PairFile.statements(database)), Set(statementsBefore))
                for (table, lines) in PairFile.lines(old, rows) {
                    problems += difference(table, after.rows[table] ?? [], lines)
                }
                return Outcome(result: .refused, problems: problems, kinds: kinds)
            }
            problems += after.problems
            let fresh = try DatabaseQueue(configuration: configuration).inDatabase { database in
                try PairFile.create(newModel, database)
                return try PairFile.schema(database)
            }
            problems += difference("schema", try PairFile.schema(database), fresh)
            if !oracle.isRefused {
                for (table, lines) in PairFile.lines(new, oracle.rows) {
                    problems += difference(table, after.rows[table] ?? [], lines)
                }
                if after.next != rows.next {
                    problems.append("the next id is \(after.next ?? 0), expected \(rows.next)")
                }
            }
            return Outcome(result: .migrated, problems: problems, kinds: kinds)
        }
    }

    /// Returns the reasons why a model is invalid.
    private func validity(_ new: Sketch) -> [String] {
        do { _ = try SketchModel.model(new).resolved() } catch { return ["\(error)"] }
        return []
    }

    private func difference<Element: Hashable>(
        _ label: String,
        _ found: Set<Element>,
        _ expected: Set<Element>
    ) -> [String] {
        found.subtracting(expected).map { "\(label): found \($0)" }
            + expected.subtracting(found).map { "\(label): expected \($0)" }
    }

    /// Returns a smaller failing proof, made by removing edits while the proof still fails.
    func shrunk() throws -> PairProof {
        var smallest = self
        var index = 0
        while index < smallest.edits.count {
            var edits = smallest.edits
            edits.remove(at: index)
            let candidate = PairProof(seed: seed, edits: edits)
            if try candidate.run().problems.isEmpty { index += 1 } else { smallest = candidate }
        }
        return smallest
    }

    /// Returns the seed, the edits and the problems of a failed proof as text.
    func report() throws -> String {
        let smallest = try shrunk()
        return "seed \(seed)\n  edits: " + smallest.make().edits.joined(separator: "\n    ") + "\n  problems: "
            + (try smallest.run().problems).sorted().prefix(12).joined(separator: "\n    ")
    }

    /// Migrates a file by opening it, and returns the differences from the oracle's predictions.
    func runOnDisk(in folder: URL) throws -> Outcome {
        let (old, new, rows, _) = make()
        let (oldModel, newModel) = (SketchModel.model(old), SketchModel.model(new))
        guard (try? newModel.resolved()) != nil else { return Outcome(result: .invalid, problems: validity(new)) }
        let oracle = MigrationOracle(old, new, rows)
        let url = folder.appendingPathComponent("pair-\(seed).sqlite")
        let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        try SQLiteStorageManager(model: oldModel, url: url, configuration: configuration).close()
        let queue = try DatabaseQueue(path: url.path)
        try queue.inDatabase { try PairFile.write(old, rows, $0) }
        try queue.close()
        func bytes() throws -> [Data] {
            try ["", "-wal"].map { suffix in
                let path = url.path + suffix
                return FileManager.default.fileExists(atPath: path) ? try Data(contentsOf: URL(filePath: path)) : Data()
            }
        }
        let before = try bytes()
        var problems: [String] = []
        do {
            let manager = try SQLiteStorageManager(model: newModel, url: url, configuration: configuration)
            problems += try manager.verify().problems.map { "\($0)" }
            try manager.close()
            if oracle.isRefused {
                problems.append("migrated, expected \(oracle.losses) \(oracle.refusals) \(oracle.lateRefusals)")
            }
        } catch let error as ObjectError {
            if !oracle.isRefused { problems.append("\(error)") }
            if oracle.isRefusedAtOnce, try bytes() != before { problems.append("refused, and bytes changed") }
        }
        let result = try DatabaseQueue(path: url.path)
        let content = try result.inDatabase { try PairFile.read($0) }
        try result.close()
        problems += content.problems
        let (sketch, expected) = oracle.isRefused ? (old, rows) : (new, oracle.rows)
        for (table, lines) in PairFile.lines(sketch, expected) {
            problems += difference(table, content.rows[table] ?? [], lines)
        }
        return Outcome(result: oracle.isRefused ? .refused : .migrated, problems: problems)
    }
}

extension MigrationOracle.Loss {
    init(_ loss: MigrationLoss) {
        self.init(
            kind: loss.kind.rawValue,
            entity: loss.entity,
            property: loss.property,
            count: loss.count ?? -1,
            isAllowed: loss.isAllowed
        )
    }
}
#endif
