#if Objects
public import Foundation
internal import LarderFiles

/// The changes that opening a database with a model would make to the database.
public struct MigrationPreview: Sendable, Hashable {
    /// A migration step from one version of the model to another.
    public struct Step: Sendable, Hashable {
        /// The model version before the step.
        public let fromVersion: Int
        /// The model version after the step.
        public let toVersion: Int
        /// Whether the step includes a custom stage.
        public let isCustom: Bool
        /// Short descriptions of the step's actions, such as `drop Order.fax`.
        public let actions: [String]
        /// The number of rows that the step rewrites.
        public let rewrittenRows: Int
    }

    /// The migration steps in order, or an empty array if the database matches the model.
    public let steps: [Step]
    /// The data that the migration would lose, whether or not the model allows the loss.
    ///
    /// The array omits losses that are known only when the migration runs, such as those of a custom stage.
    public let losses: [MigrationLoss]
    /// The differences that can't be migrated automatically, each with a remedy.
    public let refusals: [String]
    /// The estimated number of bytes that the migration writes to the write-ahead log and the database file.
    public let neededDiskSpace: Int64

    /// Whether the database already matches the model.
    public var isEmpty: Bool { steps.isEmpty }
    /// Whether opening the database would fail because of a difference that can't be migrated or a loss that the model does not allow.
    public var isRefused: Bool { !refusals.isEmpty || losses.contains { !$0.isAllowed } }
}

extension SQLiteStorageManager {
    /// Returns the changes that opening a database with a model would make, without changing the database.
    ///
    /// - Parameters:
    ///   - url: The URL of the database file.
    ///   - model: The model to migrate to.
    /// - Returns: The migration's steps, the data it would lose, and the differences that prevent it.
    /// - Throws: ``ObjectError`` if the model is invalid, or if the file can't be read, is not a LarderObjects database, or has a newer
    ///   version than the model.
    /// - Complexity: Reads the columns whose values the migration may lose.
    public static func migrationPreview(of url: URL, model: ObjectModel) throws -> MigrationPreview {
        let resolved = try model.resolved()
        let database = try ObjectDatabase(reading: url.path)
        defer { database.close() }
        let (stored, target) = (database.stored, try resolved.frozen())
        guard stored.version <= target.version else { throw DatabaseOpening.newer(stored, resolved, path: url.path) }
        if stored.fingerprint == target.fingerprint, stored.version == target.version {
            return MigrationPreview(steps: [], losses: [], refusals: [], neededDiskSpace: 0)
        }
        var path = try MigrationPath(
            from: stored.frozen(),
            isFirstFormat: stored.format < 2,
            plan: resolved.plan,
            to: target
        )
        path.refuseLostDefaults(resolved)
        return try database.preview(path, model: resolved)
    }
}

extension ObjectDatabase {
    /// Returns a preview of migrating this database.
    ///
    /// - Parameters:
    ///   - path: The steps of the migration.
    ///   - model: The program's model, or `nil` if the migration ends at a frozen version.
    ///   - refusals: Additional reasons that prevent the migration.
    /// - Returns: The migration's steps, the data it would lose, the differences that prevent it, and the required disk space.
    /// - Throws: ``ObjectError`` if a read fails.
    func preview(_ path: MigrationPath, model: ResolvedModel?, refusals: [String] = []) throws -> MigrationPreview {
        let losses = try reading { try path.losses(model, $0) }
        let counts = Dictionary(entities.map { ($0.name, $0.count) }, uniquingKeysWith: { first, _ in first })
        let rows = path.rows(counts)
        let total = counts.values.reduce(0, +)
        let files: any FileSystem = LocalFileSystem()
        let size = try files.information(at: self.path, followingLinks: true)?.size ?? 0
        return MigrationPreview(
            steps: zip(path.steps, rows).map { step, rows in
                .init(
                    fromVersion: step.inferred.from.version,
                    toVersion: step.inferred.to.version,
                    isCustom: step.stage != nil,
                    actions: step.actions,
                    rewrittenRows: rows
                )
            },
            losses: losses,
            refusals: refusals + path.steps.flatMap(\.inferred.refusals),
            // A rewritten table is written to the log and to the file. The table's size is estimated from its share of all rows.
            neededDiskSpace: total == 0 ? 0 : Int64(Double(size) * 2 * Double(rows.reduce(0, +)) / Double(total))
        )
    }
}
#endif
