#if Objects
import Foundation
import GRDB
import LarderCore
@testable import LarderObjects
import LarderTesting
import Testing

/// Tests of migrations through several versions.
@Suite struct ChainTests {
    // MARK: The path

    private func version(_ number: Int, _ columns: [SchemaDescription.Column] = []) throws -> FrozenModel {
        let entity = SchemaDescription.Entity(
            name: "Note",
            columns: columns,
            relationships: [],
            unique: [],
            indexes: []
        )
        return try FrozenModel(
            version: number,
            schema: SchemaDescription(entities: [entity]),
            declarations: MigrationDeclarations()
        )
    }

    private func path(
        from stored: Int,
        frozen: [Int],
        stages: [(Int, Int)] = [],
        to target: Int
    ) throws -> [String] {
        let plan = MigrationPlan(
            versions: .models(try frozen.map { try version($0) }),
            stages: stages.map { MigrationStage(from: $0, to: $1) { _ in } }
        )
        let path = try MigrationPath(
            from: version(stored),
            isFirstFormat: false,
            plan: plan,
            to: version(target)
        )
        return path.steps.map { step in
            "\(step.inferred.from.version)-\(step.inferred.to.version)\(step.stage == nil ? "" : " stage")"
        }
    }

    @Test func migrationPathIncludesFrozenVersionsNewerThanFile() throws {
        #expect(try path(from: 1, frozen: [1, 2, 3], to: 4) == ["1-2", "2-3", "3-4"])
        #expect(try path(from: 3, frozen: [3, 1, 2], to: 4) == ["3-4"])
        #expect(try path(from: 2, frozen: [1, 3, 5, 6], to: 5) == ["2-3", "3-5"])
        #expect(try path(from: 1, frozen: [], to: 7) == ["1-7"])
        #expect(try path(from: 4, frozen: [1, 4], to: 4) == ["4-4"])
    }

    @Test func migrationPathIncludesStagesBetweenConsecutiveVersions() throws {
        let stages = [(1, 3), (5, 7)]
        #expect(
            try path(from: 1, frozen: [1, 3, 5], stages: stages, to: 7) == ["1-3 stage", "3-5", "5-7 stage"]
        )
        #expect(try path(from: 3, frozen: [1, 3, 5], stages: stages, to: 7) == ["3-5", "5-7 stage"])
        // A version that is not frozen has no stage.
        #expect(try path(from: 2, frozen: [1, 3, 5], stages: stages, to: 7) == ["2-3", "3-5", "5-7 stage"])
    }

    @Test func stageBetweenNonconsecutiveVersionsIsRejected() throws {
        for stages in [[(1, 3)], [(1, 4)], [(0, 1)]] {
            let error = #expect(throws: ObjectError.self) {
                _ = try path(from: 1, frozen: [1, 2], stages: stages, to: 4)
            }
            #expect(error?.code == .invalidModel && error?.problems.count == 1)
        }
    }

    @Test func developmentBuildFileIsFirstMigratedToFrozenVersion() throws {
        let column = SchemaDescription.Column(name: "text", format: "string", type: "TEXT", isRequired: false)
        let plan = MigrationPlan(versions: .models([try version(1, [column]), try version(2, [column])]))
        let path = try MigrationPath(from: version(1), isFirstFormat: false, plan: plan, to: version(3, [column]))
        #expect(path.steps.map(\.inferred.actions) == [["add Note.text"], [], []])
    }

    @Test func duplicateVersionsAreRejected() throws {
        let error = #expect(throws: ObjectError.self) { _ = try path(from: 1, frozen: [1, 2, 2], to: 3) }
        #expect(error?.code == .invalidModel)
    }

    // MARK: A hundred versions

    /// A hundred versions of an entity, with the expected changes of each version to a row's values.
    private struct Chain {
        typealias Row = [String: ColumnValue]
        var versions: [FrozenModel] = []
        var changes: [(Row) -> Row] = []

        init(seed: UInt64) throws {
            var random = SeededGenerator(seed: seed)
            var columns: [SchemaDescription.Column] = []
            for number in 1...100 {
                var declared = EntityDeclarations()
                for place in columns.indices { columns[place].was = nil }
                var change: (Row) -> Row = { $0 }
                let free = (0..<12).map { "c\($0)" }.filter { name in !columns.contains { $0.name == name } }
                switch Int.random(in: 0..<4, using: &random) {
                case 0 where columns.count > 1:
                    let column = columns.remove(at: Int.random(in: columns.indices, using: &random))
                    declared.dropping = [column.name]
                    change = { row in row.filter { $0.key != column.name } }
                case 1 where !columns.isEmpty && !free.isEmpty:
                    let place = Int.random(in: columns.indices, using: &random)
                    let (old, new) = (columns[place].name, free[Int.random(in: free.indices, using: &random)])
                    columns[place].name = new
                    columns[place].was = [old]
                    change = { row in
                        var row = row
                        row[new] = row.removeValue(forKey: old)
                        return row
                    }
                case 2 where columns.contains { $0.format == "int64" }:
                    guard let place = columns.firstIndex(where: { $0.format == "int64" }) else { break }
                    let name = columns[place].name
                    (columns[place].format, columns[place].type) = ("string", "TEXT")
                    change = { row in
                        var row = row
                        if case .integer(let integer)? = row[name] { row[name] = .text("\(integer)") }
                        return row
                    }
                default:
                    guard let name = free.randomElement(using: &random) else { break }
                    columns.append(.init(name: name, format: "int64", type: "INTEGER", isRequired: true))
                    let value = ColumnValue.integer(Int64(number))
                    declared.attributes[name] = AttributeDeclarations(initial: .constant(value))
                    change = { row in
                        var row = row
                        row[name] = value
                        return row
                    }
                }
                let entity = SchemaDescription.Entity(
                    name: "Note",
                    columns: columns,
                    relationships: [],
                    unique: [],
                    indexes: columns.prefix(1).map { [$0.name] }
                )
                versions.append(
                    try FrozenModel(
                        version: number,
                        schema: SchemaDescription(entities: [entity]),
                        declarations: MigrationDeclarations(entities: declared.isEmpty ? [:] : ["Note": declared])
                    )
                )
                changes.append(change)
            }
        }

        /// Returns the values of a new row of a version.
        func row(_ place: Int, _ number: Int) -> Row {
            Dictionary(
                uniqueKeysWithValues: versions[place].schema.entities[0].columns.map { column in
                    let value = Int64(number) * 1_000_003 % 97
                    return (column.name, column.format == "int64" ? .integer(value) : .text("\(value)"))
                }
            )
        }
    }

    @Test(arguments: [1, 2] as [UInt64])
    func databaseOfAnyOfHundredVersionsIsMigratedToLatest(_ seed: UInt64) throws {
        let chain = try Chain(seed: seed)
        let plan = MigrationPlan(versions: .models(chain.versions))
        let target = try #require(chain.versions.last)
        for start in stride(from: 0, to: 100, by: 6) {
            let queue = try DatabaseQueue()
            try queue.write { database in
                try SQLFunctions.register(on: database)
                let statements = StatementCache(database)
                for sql in SchemaStatements(chain.versions[start].schema).everything() { try statements.run(sql) }
                let rows = (1...3).map { chain.row(start, $0) }
                for (number, row) in rows.enumerated() {
                    let columns = ["objectID"] + row.keys.sorted()
                    try statements.run(
                        "INSERT INTO Note (\(columns.joined(separator: ", "))) "
                            + "VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))",
                        [.integer(Int64(number + 1))] + columns.dropFirst().compactMap { row[$0] }
                    )
                }
                let path = try MigrationPath(
                    from: chain.versions[start],
                    isFirstFormat: false,
                    plan: plan,
                    to: target
                )
                #expect(path.refusal([]) == nil && path.steps.count == max(1, 99 - start))
                for step in path.steps { _ = try MigrationRun(step.inferred, model: nil, statements).run() }
                let expected = rows.map { row in chain.changes[(start + 1)...].reduce(row) { $1($0) } }
                let names = target.schema.entities[0].columns.map(\.name).sorted()
                let list = (["objectID"] + names).joined(separator: ", ")
                let found = try statements.rows("SELECT \(list) FROM Note ORDER BY objectID") { statement in
                    Dictionary(
                        uniqueKeysWithValues: names.enumerated().map { ($1, statement.value(at: $0 + 1)) }
                    )
                }
                #expect(found == expected, "seed \(seed), from version \(start + 1)")
            }
        }
    }

    // MARK: Through files

    enum Second {
        @Entity(indexes: [["stars", "text"]], dropping: ["fax"]) final class Note {
            @Attribute(.indexed) var text = ""
            @Attribute(was: "stars") var rating: Int = 0
            var stars: String = "new"
            @Attribute(.searchable) var title: String = ""
            var token: UUID = UUID()
            @Relationship var folder: Folder?
        }
        @Entity final class Folder {
            var name = ""
            @Relationship(inverse: \Note.folder, ordered: true) var notes: [Note]
        }
    }
    enum Third {
        @Entity final class Note {
            @Attribute(.indexed, was: "title") var text = ""
            var rating: Double = 0
            var stars: String = ""
            var fax: String?
            @Attribute(was: "token") var identifier: UUID = UUID()
            @Relationship var folder: Folder?
        }
        @Entity final class Folder {
            var name = ""
            @Relationship(inverse: \Note.folder, ordered: true) var notes: [Note]
        }
        static let entities: [any Object.Type] = [Note.self, Folder.self]
    }

    enum Allowed {
        @Entity(dropping: ["text"]) final class Note {
            @Attribute(.indexed, was: "title") var text = ""
            var rating: Double = 0
            var stars: String = ""
            var fax: String?
            @Attribute(was: "token") var identifier: UUID = UUID()
            @Relationship var folder: Folder?
        }
        @Entity final class Folder {
            var name = ""
            @Relationship(inverse: \Note.folder, ordered: true) var notes: [Note]
        }
    }

    enum Grown {
        @Entity(indexes: [["stars", "text"]]) final class Note {
            @Attribute(.indexed) var text = ""
            var stars: Int = 0
            @Attribute(.searchable, was: "title") var heading: String = ""
            var fax: String?
            var more: Int?
            @Relationship var folder: Folder?
        }
        @Entity final class Folder {
            var name = ""
            @Relationship(inverse: \Note.folder, ordered: true) var notes: [Note]
        }
    }
    enum Narrowed {
        @Entity final class Note {
            var text = ""
            var stars: Int = 0
            var heading: Int = 0
            var fax: String = ""
            @Relationship var folder: Folder?
        }
        @Entity final class Folder {
            var name = ""
            @Relationship(inverse: \Note.folder) var notes: [Note]
        }
        static let entities: [any Object.Type] = [Note.self, Folder.self]
    }

    @Test func dataLossOfAllStepsIsCountedBeforeFirstStepRuns() async throws {
        try await withFile(of: MigrationTests.First.model, fill: MigrationTests.First.fill) { file in
            let bytes = try Data(contentsOf: file.url)
            let second = try ObjectModel([Grown.Note.self, Grown.Folder.self], version: 2).frozen()
            let model = ObjectModel(
                Narrowed.entities,
                version: 3,
                plan: MigrationPlan(versions: .models([second]))
            )
            let error = #expect(throws: ObjectError.self) { try file.open(model) }
            #expect(error?.code == .modelMismatch)
            let losses = Dictionary(
                (error?.losses ?? []).map { ("\($0.kind) \($0.property ?? "")", $0.count) },
                uniquingKeysWith: { first, _ in first }
            )
            #expect(
                losses == ["value heading": 50, "missingValue fax": 25, "attribute more": nil, "order notes": 1]
            )
            #expect(try SQLiteStorageManager.migrationPreview(of: file.url, model: model).losses == error?.losses)
            #expect(try Data(contentsOf: file.url) == bytes)
        }
    }

    @Test func frozenVersionsPreserveRenamesOmittedByModel() async throws {
        try await withFile(of: MigrationTests.First.model, fill: MigrationTests.First.fill) { file in
            let folder = file.folder.appendingPathComponent("Models")
            try MigrationTests.First.model.freeze(in: folder)
            try ObjectModel([Second.Note.self, Second.Folder.self], version: 2).freeze(in: folder)
            // The model of version 3 does not drop "text": the frozen version 2 does not either.
            let refused = #expect(throws: ObjectError.self) {
                try file.open(ObjectModel(Third.entities, version: 3, plan: .init(versions: .files(in: folder))))
            }
            #expect(refused?.losses.map(\.property) == ["text"])
            #expect(refused?.losses.first?.count == 50 && refused?.losses.first?.objectIDs.count == 5)
            let model = ObjectModel(
                [Allowed.Note.self, Allowed.Folder.self],
                version: 3,
                plan: MigrationPlan(versions: .files(in: folder))
            )
            let preview = try SQLiteStorageManager.migrationPreview(of: file.url, model: model)
            #expect(preview.steps.map(\.fromVersion) == [1, 2] && !preview.isRefused)
            let isEqual = try await file.migrate(to: model) { manager in
                let notes = try manager.viewStorage.allObjects(ofType: Allowed.Note.self)
                #expect(notes.map(\.rating) == (0..<50).map(Double.init))
                #expect(notes.map(\.stars) == Array(repeating: "new", count: 50))
                #expect(notes.map(\.text) == (0..<50).map { "É\($0)" })
                // "fax" of version 3 is not the one that version 2 dropped.
                #expect(notes.allSatisfy { $0.fax == nil })
                #expect(Set(notes.map(\.identifier)).count == 50)
                let folder = try #require(try manager.viewStorage.firstObject(ofType: Allowed.Folder.self))
                #expect(folder.notes.map(\.rating) == (0..<50).reversed().map(Double.init))
            }
            #expect(isEqual)
            let versions = try await SchemaProbe.values(
                of: file.url,
                "SELECT version FROM larder_history ORDER BY step"
            )
            #expect(versions == ["1", "2", "3"])
        }
    }
}
#endif
