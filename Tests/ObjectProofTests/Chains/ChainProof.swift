#if Objects
import Foundation
import GRDB
import LarderCore
@testable import LarderObjects
import LarderTesting

/// A random chain of versions of a model, with the rows that the oracle predicts for each.
///
/// Every tenth migration has a custom stage.
struct ChainProof: Sendable {
    struct Version: Sendable {
        let sketch: Sketch
        let rows: SketchRows
        let frozen: FrozenModel
        /// The stage of the migration to this version.
        let stage: ChainStage?
    }

    private struct Exhausted: Error {}

    let seed: UInt64
    let versions: [Version]

    /// Generates a chain from a seed.
    init(seed: UInt64, count: Int) throws {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        var (sketch, rows) = Sketch.make(&random)
        while sketch.entities.count < 3 || sketch.pairs.count < 2 || rows.size < 8 {
            (sketch, rows) = Sketch.make(&random)
        }
        let first = Version(sketch: sketch, rows: rows, frozen: try SketchModel.model(sketch).frozen(), stage: nil)
        var versions = [first]
        while versions.count < count {
            versions.append(try Self.next(versions[versions.count - 1], hasStage: versions.count % 10 == 0, &random))
        }
        self.versions = versions
    }

    /// Returns a version that the previous version can be migrated to, after as many attempts as that takes.
    private static func next(
        _ previous: Version,
        hasStage: Bool,
        _ random: inout SeededGenerator
    ) throws -> Version {
        for _ in 0..<1_000 {
            var old = previous.sketch
            old.forgetDeclarations()
            var new = old
            let edits = (0..<Int.random(in: 1...4, using: &random)).compactMap { _ in
                ModelEdit(seed: random.next()).apply(to: &new)
            }
            guard !edits.isEmpty else { continue }
            new.declare(changesFrom: old, &random, allowsAll: true)
            let oracle = MigrationOracle(old, new, previous.rows)
            // A stage runs before duplicates are removed, so that its objects would be among them.
            guard !oracle.isRefused, !hasStage || !oracle.losses.contains(where: { $0.kind == "duplicate" }) else {
                continue
            }
            var rows = oracle.rows
            let stage = hasStage ? ChainStage(new, &rows, &random) : nil
            // Dropped entities and removed duplicates must not leave a chain without rows.
            guard rows.size >= 6, let frozen = try? SketchModel.model(new).frozen() else { continue }
            return Version(sketch: new, rows: rows, frozen: frozen, stage: stage)
        }
        throw Exhausted()
    }

    /// Returns the model of a version, whose plan has all earlier versions.
    private func model(_ index: Int) -> ObjectModel {
        let stages = versions[...index].enumerated().compactMap { place, version in
            version.stage.map { stage in MigrationStage(from: place, to: place + 1) { try stage.run($0) } }
        }
        let plan = MigrationPlan(versions: .models(versions[..<index].map(\.frozen)), stages: stages)
        return SketchModel.model(versions[index].sketch, plan: plan)
    }

    private static let configuration: ObjectStorageConfiguration = {
        var configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        // The backups have their own tests.
        configuration.migration.backups = 0
        return configuration
    }()

    /// Creates a file of a version, and migrates it to the last one in one opening.
    ///
    /// - Returns: The differences from what the oracle says.
    func climb(from index: Int, in folder: URL) throws -> [String] {
        let url = folder.appendingPathComponent("from-\(index + 1).sqlite")
        try create(index, at: url)
        let last = versions.count - 1
        return try open(url, last).map { "from version \(index + 1): \($0)" }
    }

    /// Migrates a file of the first version one version after the other.
    ///
    /// - Returns: The differences from what the oracle says about each version.
    func climbStepByStep(in folder: URL) throws -> [String] {
        let url = folder.appendingPathComponent("steps.sqlite")
        try create(0, at: url)
        var problems: [String] = []
        for index in 1..<versions.count where problems.isEmpty {
            problems += try open(url, index).map { "step to version \(index + 1): \($0)" }
        }
        return problems
    }

    private func create(_ index: Int, at url: URL) throws {
        let version = versions[index]
        let model = SketchModel.model(version.sketch)
        try SQLiteStorageManager(model: model, url: url, configuration: Self.configuration).close()
        let queue = try DatabaseQueue(path: url.path)
        try queue.inDatabase { try PairFile.write(version.sketch, version.rows, $0) }
        try queue.close()
    }

    /// Opens a file with the model of a version, and compares it with the oracle and with a new file of that version.
    private func open(_ url: URL, _ index: Int) throws -> [String] {
        let version = versions[index]
        var problems: [String] = []
        do {
            let manager = try SQLiteStorageManager(
                model: model(index),
                url: url,
                configuration: Self.configuration
            )
            problems += try manager.verify().problems.map { "verify: \($0)" }
            try manager.close()
        } catch {
            return ["\(error)"]
        }
        let queue = try DatabaseQueue(path: url.path)
        let (content, schema) = try queue.inDatabase { (try PairFile.read($0), try PairFile.schema($0)) }
        try queue.close()
        problems += content.problems
        if content.next != version.rows.next { problems.append("the next id is \(content.next ?? 0)") }
        let expected = PairFile.lines(version.sketch, version.rows)
        for table in Set(expected.keys).union(content.rows.keys).sorted() where expected[table] != content.rows[table] {
            problems.append("\(table): found \(content.rows[table] ?? []), expected \(expected[table] ?? [])")
        }
        let fresh = try DatabaseQueue().inDatabase { database in
            try PairFile.create(SketchModel.model(version.sketch), database)
            return try PairFile.schema(database)
        }
        if schema != fresh { problems.append("the schema differs: \(schema.symmetricDifference(fresh))") }
        return problems
    }
}

extension SketchRows {
    /// The number of objects.
    fileprivate var size: Int { values.values.reduce(0) { $0 + $1.count } }
}
#endif
