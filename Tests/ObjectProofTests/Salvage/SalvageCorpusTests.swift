#if Objects
import Foundation
import GRDB
import LarderTestSupport
import LarderTesting
import Synchronization
import Testing

@testable import LarderObjects

/// Checks with 1,000 damaged files that salvaging keeps every intact row and adds no others.
@Suite struct SalvageCorpusTests {
    enum Damage: CaseIterable {
        /// Pages that contain only zeros.
        case zeros
        /// A truncated file, which may end in the middle of a page.
        case cut
        /// Pages of random bytes.
        case noise
        /// Pages that are overwritten with another page of the file.
        case copy
        /// Pages with their content before the last commit.
        case stale

        /// Whether the damaged pages may be valid pages of a table and so contradict undamaged pages.
        var isPlausible: Bool { self == .copy || self == .stale }
    }

    /// The pages that a row needs: the path from the root to its leaf, its overflow pages, and those of its table's row in the schema.
    private struct Needs {
        var rows: [String: [Int64: Set<Int>]] = [:]
        var overflow: [String: [Int64: Set<Int>]] = [:]
        /// The pages of each index of each table, with those of the index's row in the schema.
        var indexes: [String: [Set<Int>]] = [:]

        init(_ file: PageFile) {
            var schema: [(name: String, root: Int, needs: Set<Int>)] = []
            Self.walk(1, [], file) { cell, page, path in
                let overflow = Self.overflow(cell, file)
                guard case .values(let values) = RecordReader(file: file).read(cell, in: page),
                    case .text(let name) = values[1], case .text(let table) = values[2],
                    case .integer(let root) = values[3]
                else { return }
                let needs = path.union(overflow)
                if values[0] == .text("table") { schema.append((name, Int(root), needs)) }
                if values[0] == .text("index") {
                    self.indexes[table, default: []].append(needs.union(Self.index(Int(root), file)))
                }
            }
            for table in schema {
                Self.walk(table.root, table.needs, file) { cell, _, path in
                    let overflow = Self.overflow(cell, file)
                    self.rows[table.name, default: [:]][cell.key] = path.union(overflow)
                    self.overflow[table.name, default: [:]][cell.key] = overflow
                }
            }
        }

        private static func walk(
            _ number: Int,
            _ path: Set<Int>,
            _ file: PageFile,
            _ body: (BTreePage.Cell, [UInt8], Set<Int>) -> Void
        ) {
            guard let bytes = file.page(number) else { return }
            let path = path.union([number])
            switch BTreePage(bytes, number: number, usableSize: file.usableSize) {
            case .leaf(let cells): for cell in cells { body(cell, bytes, path) }
            case .interior(let children, let last):
                for child in children.map(\.child) + [last] { walk(child, path, file, body) }
            case nil: break
            }
        }

        private static func index(_ number: Int, _ file: PageFile) -> Set<Int> {
            var pages: Set<Int> = [number]
            guard let page = file.page(number).flatMap({ IndexPage($0, usableSize: file.usableSize) }) else {
                return pages
            }
            for entry in page.entries { pages.formUnion(overflow(entry.record, file)) }
            for child in page.entries.compactMap(\.child) + (page.last.map { [$0] } ?? []) {
                pages.formUnion(index(child, file))
            }
            return pages
        }

        private static func overflow(_ cell: BTreePage.Cell, _ file: PageFile) -> Set<Int> {
            var pages: Set<Int> = []
            var next = cell.overflow ?? 0
            while next != 0, pages.insert(next).inserted { next = file.page(next)?.uint32(at: 0) ?? 0 }
            return pages
        }
    }

    /// Damages a file.
    ///
    /// - Returns: The damaged pages.
    private func damage(
        _ bytes: inout [UInt8],
        _ damage: Damage,
        older: [UInt8],
        _ random: inout SeededGenerator
    ) -> Set<Int> {
        let (size, count) = (512, bytes.count / 512)
        if damage == .cut {
            let length = Int.random(in: 0..<bytes.count, using: &random)
            bytes.removeSubrange(length...)
            return Set(length / size + 1...count)
        }
        var pages: Set<Int> = []
        for _ in 0..<Int.random(in: 1...max(1, min(6, count / 12)), using: &random) {
            let page = Int.random(in: 1...count, using: &random)
            let range = (page - 1) * size..<page * size
            let content: [UInt8]
            switch damage {
            case .zeros: content = [UInt8](repeating: 0, count: size)
            case .noise: content = (0..<size).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            case .copy:
                let other = Int.random(in: 1...count, using: &random)
                // The source is no longer the only page with its rows.
                pages.insert(other)
                content = Array(bytes[(other - 1) * size..<other * size])
            case .stale, .cut: content = range.upperBound <= older.count ? Array(older[range]) : Array(bytes[range])
            }
            bytes.replaceSubrange(range, with: content)
            pages.insert(page)
        }
        return pages
    }

    /// The damages of each file.
    private static let rounds = 20
    private static let files = max(5, Torture.files / rounds)
    private static let model = Shop.model
    private static let done = Mutex((files: 0, rows: 0))
    /// The number of lost objects that were counted too low, because all evidence was damaged too.
    private static let unknown = Mutex(0)

    @Test(arguments: 0..<files)
    func salvageKeepsIntactRowsOfCorruptFiles(_ number: Int) throws {
        let seed = Torture.seed - 1 + UInt64(number)
        var random = SeededGenerator(seed: seed)
        let fixture = try SalvageFixture(
            seed: seed,
            orders: [3, 12, 25, 40, 80][number % 5],
            hasLog: number % 4 == 3
        )
        let known = try fixture.rows()
        let older = try fixture.olderRows()
        let links = try fixture.read { try SalvageFixture.links(of: $0) }
        let needs = Needs(try #require(fixture.file))
        #expect(Set((needs.rows["Order.tags"] ?? [:]).keys) == Set(links.keys))
        for table in SalvageFixture.tables {
            #expect(Set((needs.rows[table] ?? [:]).keys) == Set((known[table] ?? [:]).keys))
        }
        let model = try Self.model.resolved().frozen()
        var kept = 0
        for round in 0..<Self.rounds {
            let kind = Damage.allCases[round % Damage.allCases.count]
            var damaged = fixture
            var pages = damage(&damaged.database, kind, older: fixture.older, &random)
            // Pages in the log are read from the log.
            if let log = WriteAheadLog(FileBytes(fixture.log)) { pages.subtract(log.offsets.keys) }
            guard let file = damaged.file, let salvaged = try salvage(file, model) else {
                #expect(kind == .cut || pages.contains(1))
                continue
            }
            let place = "file \(number), round \(round), \(kind), pages \(pages.sorted())"
            kept += salvaged.rows.values.reduce(0) { $0 + $1.count }
            check(salvaged, damaged, kind, pages, known, older, needs, place)
            for (row, link) in links where needs.rows["Order.tags"]?[row]?.isDisjoint(with: pages) == true {
                guard salvaged.rows["Order"]?[link[0]] != nil, salvaged.rows["Tag"]?[link[1]] != nil else { continue }
                #expect(salvaged.links.contains(link) || kind.isPlausible, "The link \(link) was lost; \(place)")
            }
            // Links that exist only in the older file lead to deleted tags.
            #expect(salvaged.links.isSubset(of: links.values) || kind == .stale, "\(place)")
        }
        let done = Self.done.withLock { done in
            done = (done.files + 1, done.rows + kept)
            return done
        }
        if done.files % 50 == 0 || done.files == Self.files {
            let unknown = Self.unknown.withLock { $0 }
            Torture.say(
                "salvage: \(done.files * Self.rounds) damaged files, \(done.rows) rows kept, \(unknown) counts that can't be known"
            )
        }
    }

    /// Checks that salvaging finds each row that SQLite can still look up by its id.
    @Test(arguments: 0..<8) func salvageFindsRowsReadableBySQLite(_ number: Int) throws {
        var random = SeededGenerator(seed: UInt64(number))
        let fixture = try SalvageFixture(seed: UInt64(number), orders: 60)
        let known = try fixture.rows()
        for kind in Damage.allCases where !kind.isPlausible {
            var damaged = fixture
            _ = damage(&damaged.database, kind, older: fixture.older, &random)
            guard let file = damaged.file, let salvaged = try salvage(file, Shop.model.resolved().frozen()) else {
                continue
            }
            let ids = try? damaged.read { database in
                SalvageFixture.tables.flatMap { table in
                    (known[table] ?? [:]).filter { id, row in
                        let found = try? SalvageFixture.rows(of: database, table, id: id)
                        return found?[id] == row
                    }.map { (table: table, id: $0.key) }
                }
            }
            for (table, id) in ids ?? [] {
                #expect(
                    salvaged.rows[table]?[id] != nil || salvaged.doubtful.contains { $0.id == id },
                    "SQLite reads \(table)/\(id), file \(number), \(kind)"
                )
            }
        }
    }

    /// Whether the `sqlite3` program is installed and supports `.recover`, which Debian's version does not.
    private static let canRecover: Bool = {
        guard let fixture = try? SalvageFixture(seed: 1, orders: 3), let recovered = try? recover(fixture) else {
            return false
        }
        return recovered["Order"]?.count == 3
    }()

    /// Returns the rows that `.recover` finds.
    private static func recover(_ fixture: SalvageFixture) throws -> [String: [Int64: SalvageFixture.Row]] {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("larder-recover-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("shop.sqlite")
        try fixture.write(to: url)
        let (program, output) = (Process(), Pipe())
        program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        program.arguments = ["sqlite3", url.path, ".recover"]
        program.standardOutput = output
        program.standardError = FileHandle.nullDevice
        try program.start()
        let sql = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        program.waitUntilExit()
        let queue = try DatabaseQueue()
        return try queue.writeWithoutTransaction { database in
            defer { if database.isInsideTransaction { try? database.rollback() } }
            try database.execute(sql: sql)
            return try SalvageFixture.rows(of: database)
        }
    }

    @Test(.enabled(if: canRecover), arguments: 0..<8) func salvageFindsRowsRecoveredBySQLite(_ number: Int) throws {
        var random = SeededGenerator(seed: UInt64(number))
        let fixture = try SalvageFixture(seed: UInt64(number), orders: 60)
        let known = try fixture.rows()
        var damaged = fixture
        _ = damage(&damaged.database, number % 2 == 0 ? .zeros : .noise, older: fixture.older, &random)
        let salvaged = try salvage(try #require(damaged.file), Shop.model.resolved().frozen())
        // Without a schema, `.recover` finds nothing in these tables.
        for (table, rows) in (try? Self.recover(damaged)) ?? [:] {
            for (id, row) in rows where known[table]?[id] == row {
                #expect(
                    salvaged?.rows[table]?[id] != nil || salvaged?.doubtful.contains { $0.id == id } == true,
                    "The program finds \(table)/\(id), file \(number)"
                )
            }
        }
    }

    /// Salvages a file, or returns `nil` if it is refused as a file of another application.
    private func salvage(_ file: PageFile, _ model: FrozenModel) throws -> SalvageFixture.Salvaged? {
        do { return try SalvageFixture.salvage(file, model: model) } catch let error as ObjectError {
            #expect(error.code == .foreignDatabase)
            return nil
        }
    }

    private func check(
        _ salvaged: SalvageFixture.Salvaged,
        _ damaged: SalvageFixture,
        _ kind: Damage,
        _ pages: Set<Int>,
        _ known: [String: [Int64: SalvageFixture.Row]],
        _ older: [String: [Int64: SalvageFixture.Row]],
        _ needs: Needs,
        _ place: String
    ) {
        #expect(salvaged.problems == [], "\(place)")
        let doubtful = Set(salvaged.doubtful)
        func isKept(_ table: String, _ id: ColumnValue?) -> Bool {
            guard case .integer(let id)? = id else { return false }
            return salvaged.rows[table]?[id] != nil
        }
        for table in SalvageFixture.tables {
            let (kept, before) = (salvaged.rows[table] ?? [:], known[table] ?? [:])
            for (id, row) in kept {
                let isMixed = kind.isPlausible && !(needs.overflow[table]?[id] ?? []).isDisjoint(with: pages)
                let isKnown = [before[id], older[table]?[id]].contains { $0.map { isSame(row, $0, isKept) } ?? false }
                #expect(isKnown || isMixed, "\(table)/\(id) was not there: \(row); \(place)")
            }
            for (id, row) in before {
                guard let required = needs.rows[table]?[id], required.isDisjoint(with: pages), kept[id] == nil else {
                    continue
                }
                // The delete rules delete an item together with its order.
                let isOrphan = table == "Item" && row["order"] != .null && !isKept("Order", row["order"])
                let isDoubtful =
                    doubtful.contains(.init(entity: .text(table), id: id))
                    || doubtful.contains(.init(entity: .null, id: id))
                #expect(isDoubtful && (isOrphan || kind.isPlausible), "\(table)/\(id) was lost; \(place)")
            }
            guard let entity = salvaged.report.entities.first(where: { $0.name == table }) else {
                Issue.record("The report lacks \(table); \(place)")
                continue
            }
            #expect(entity.kept == kept.count)
            let missing = before.count - kept.count - entity.inDoubt - salvaged.report.unknownInDoubt
            let hasIntactIndex = needs.indexes[table]?.contains { $0.isDisjoint(with: pages) } == true
            // If all indexes are damaged too, the report may say that it does not know. If SQLite finds no fault, the count can't be known.
            if missing > entity.lost.upperBound {
                let isUnknown = salvaged.report.hasReplacedPages || Self.isConsistent(damaged)
                #expect(
                    kind.isPlausible && !hasIntactIndex && isUnknown,
                    "\(table) does not add up: \(salvaged.report); \(place)"
                )
                Self.unknown.withLock { $0 += 1 }
            }
            guard !kind.isPlausible else { continue }
            #expect(!salvaged.report.hasReplacedPages, "\(salvaged.report); \(place)")
            #expect(kept.count + entity.lost.lowerBound <= before.count, "\(table): \(salvaged.report); \(place)")
            if hasIntactIndex {
                #expect(entity.lost.lowerBound == entity.lost.upperBound, "\(table): \(salvaged.report); \(place)")
            }
        }
    }

    /// Returns whether SQLite finds no fault in a damaged file.
    private static func isConsistent(_ damaged: SalvageFixture) -> Bool {
        let problems = try? damaged.read { database in
            try String.fetchAll(database, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
                + Row.fetchAll(database, sql: "PRAGMA foreign_key_check").map { "\($0)" }
        }
        return problems == []
    }

    /// Returns whether two rows are equal except for references to missing objects.
    private func isSame(
        _ row: SalvageFixture.Row,
        _ original: SalvageFixture.Row,
        _ isKept: (String, ColumnValue?) -> Bool
    ) -> Bool {
        let destinations = ["customer": "Customer", "boss": "Customer", "order": "Order"]
        return original.allSatisfy { name, value in
            if row[name] == value { return true }
            guard row[name] == .null, let destination = destinations[String(name.prefix { $0 != "." })] else {
                return false
            }
            let reference = name.hasSuffix(".position") ? original[String(name.dropLast(9))] : value
            return !isKept(destination, reference)
        }
    }
}
#endif
