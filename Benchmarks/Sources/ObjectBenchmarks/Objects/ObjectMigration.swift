#if Objects
import CSQLitePeer
import Foundation
import LarderObjects

/// Measures migrations and backups of a file with 1,000,000 rows, compared with SQLite in C.
extension Area {
    private static let rowCount = 1_000_000

    static var migrating: Row {
        Row("migrate 1,000,000 rows of 8 columns, with the disk's syncs") { folder in
            let bench = try MigrationBench(folder, rows: rowCount)
            let stage = try MigrationModels.withStage()
            let copy = "CREATE TABLE copy AS SELECT * FROM Sale WHERE 0; INSERT INTO copy SELECT * FROM Sale"
            return try [
                bench.figure("C, INSERT INTO copy SELECT * FROM Sale") { path in
                    guard sqlite_peer_run(path, "BEGIN; \(copy); COMMIT") == 0 else {
                        throw ObjectBenchmarkError.wrongResult
                    }
                },
                bench.figure(
                    "Larder, add an optional attribute",
                    ObjectModel([MigrationModels.WithRemark.Sale.self], version: 2),
                    .atMost(50_000_000)
                ),
                bench.figure(
                    "Larder, Int to Double",
                    ObjectModel([MigrationModels.WithDoubleNumber.Sale.self], version: 2),
                    .timesFirst(1.5)
                ),
                bench.figure(
                    "Larder, Int to String",
                    ObjectModel([MigrationModels.WithStringNumber.Sale.self], version: 2),
                    .timesFirst(1.5)
                ),
                bench.figure(
                    "Larder, Double to String",
                    ObjectModel([MigrationModels.WithStringTotal.Sale.self], version: 2),
                    .timesFirst(1.5)
                ),
                bench.figure("Larder, custom stage", stage, .timesFirst(3)),
            ]
        }
    }

    static var backingUp: Row {
        Row("back up 1,000,000 rows of 8 columns") { folder in
            let bench = try MigrationBench(folder, rows: rowCount)
            let manager = try MigrationModels.open(ObjectModel([MigrationModels.First.Sale.self]), bench.filled)
            defer { try? manager.close() }
            let copy = URL(fileURLWithPath: folder + "/backup.sqlite")
            func figure(_ name: String, _ goal: Goal?, _ body: () throws -> Void) throws -> Figure {
                let samples = try (0..<5).map { _ in
                    try? FileManager.default.removeItem(at: copy)
                    return try nanoseconds(body)
                }
                return Figure(name, median(samples), goal: goal)
            }
            return try [
                figure("C, sqlite3_backup_step", nil) {
                    guard sqlite_peer_backup(bench.filled.path, copy.path) == 0 else {
                        throw ObjectBenchmarkError.wrongResult
                    }
                },
                figure("Larder, verifying: false", .timesFirst(1.25)) {
                    try manager.backup(to: copy, verifying: false)
                },
                figure("Larder, verifying: true", nil) { try manager.backup(to: copy) },
            ]
        }
    }
}

/// A file of the first version, which is copied for each migration.
private struct MigrationBench {
    let filled: URL
    private let copy: URL

    init(_ folder: String, rows count: Int) throws {
        filled = URL(fileURLWithPath: folder + "/filled.sqlite")
        copy = URL(fileURLWithPath: folder + "/copy.sqlite")
        try MigrationModels.fill(filled, rows: count)
    }

    /// Measures the opening of a copy with a later model.
    func figure(_ name: String, _ model: ObjectModel, _ goal: Goal) throws -> Figure {
        try figure(name, goal) { _ in try MigrationModels.open(model, copy).close() }
    }

    /// Measures a closure that receives the path of a copy.
    func figure(_ name: String, _ goal: Goal? = nil, _ body: (String) throws -> Void) throws -> Figure {
        let samples = try (0..<3).map { _ in
            for suffix in ["", "-wal", "-shm", ".larder-lock"] {
                try? FileManager.default.removeItem(atPath: copy.path + suffix)
            }
            try FileManager.default.copyItem(at: filled, to: copy)
            // Otherwise the first sync of the migration would write the copy to the disk too.
            let file = try FileHandle(forUpdating: copy)
            try file.synchronize()
            try file.close()
            return try nanoseconds { try body(copy.path) }
        }
        return Figure(name, median(samples), goal: goal)
    }
}
#endif
