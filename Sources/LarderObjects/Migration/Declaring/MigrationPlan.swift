#if Objects
public import Foundation

/// The frozen earlier versions of a model, and the custom stages between them.
///
/// A database is migrated through each frozen version later than its own, and then to the model's version. Larder infers each step from its
/// two versions, then runs the step's custom stage, if any. All steps run in one transaction.
///
/// ```swift
/// let plan = MigrationPlan(
///     versions: .files(in: models),
///     stages: [
///         MigrationStage(from: 1, to: 2) { migration in
///             try migration.migrate("Order") { old, new in new["cents"] = (old["total"] as Double? ?? 0) * 100 }
///         }
///     ]
/// )
/// ```
public struct MigrationPlan: Sendable {
    let versions: FrozenVersions
    let stages: [MigrationStage]

    /// Creates a migration plan.
    ///
    /// - Parameters:
    ///   - versions: The frozen versions. Larder reads them only when a database must be migrated.
    ///   - stages: The custom stages. Each stage migrates from a frozen version to the next version.
    public init(versions: FrozenVersions, stages: [MigrationStage] = []) {
        self.versions = versions
        self.stages = stages
    }

    /// Returns a description of each problem in the plan that can be detected without reading the frozen versions.
    func problems(version: Int) -> [String] {
        var problems: [String] = []
        for stage in stages where stage.from >= stage.to || stage.to > version {
            problems.append(
                "The target version of the stage from \(stage.from) to \(stage.to) must be higher than \(stage.from) and at most "
                    + "\(version), the model's version. Correct the stage's versions."
            )
        }
        for from in Set(stages.map(\.from)).sorted() where stages.count(where: { $0.from == from }) > 1 {
            problems.append("The migration plan has several stages from version \(from). Combine them into one stage.")
        }
        return problems
    }
}

/// The frozen versions of a model.
public struct FrozenVersions: Sendable {
    private enum Source: Sendable {
        case folder(URL)
        case models([FrozenModel])
    }

    private let source: Source

    /// Creates frozen versions that are read from a folder, in the files `v1.json`, `v2.json` and so on.
    ///
    /// - Parameter folder: The URL of the folder, such as a resource folder of the program.
    /// - Returns: The frozen versions.
    public static func files(in folder: URL) -> FrozenVersions { FrozenVersions(source: .folder(folder)) }

    /// Creates frozen versions from models that are already in memory.
    ///
    /// - Parameter models: The frozen models, in any order.
    /// - Returns: The frozen versions.
    public static func models(_ models: [FrozenModel]) -> FrozenVersions { FrozenVersions(source: .models(models)) }

    /// Reads the frozen versions.
    ///
    /// - Returns: The versions in ascending order.
    /// - Throws: ``ObjectError`` with code `invalidModel` if a file can't be read, or if two models have the same version.
    func read() throws -> [FrozenModel] {
        let models =
            switch source {
            case .models(let models): models
            case .folder(let folder): try Self.urls(in: folder).map { try FrozenModel(contentsOf: $0) }
            }
        let sorted = models.sorted { $0.version < $1.version }
        for (model, next) in zip(sorted, sorted.dropFirst()) where model.version == next.version {
            throw ObjectError(
                .invalidModel,
                "Two frozen models have version \(model.version), so the database was not migrated. Remove one of the two models."
            )
        }
        return sorted
    }

    /// Returns the URLs of the files `v1.json`, `v2.json` and so on in a folder, sorted by name.
    ///
    /// - Throws: ``ObjectError`` with code `invalidModel` if the folder can't be read.
    package static func urls(in folder: URL) throws -> [URL] {
        do {
            return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .filter { number(of: $0) != nil }
                .sorted { $0.lastPathComponent < $1.lastPathComponent }
        } catch {
            throw ObjectError(
                .invalidModel,
                "The folder of frozen models can't be read, so the database was not migrated. Add the folder to the program's resources.",
                path: folder.path,
                underlying: error
            )
        }
    }

    /// Returns the version number in a file name such as `v3.json`, or `nil` for any other name.
    package static func number(of url: URL) -> Int? {
        let name = url.lastPathComponent
        guard name.hasPrefix("v"), name.hasSuffix(".json") else { return nil }
        return Int(name.dropFirst().dropLast(5))
    }
}

/// A custom stage of a migration, from a frozen version of a model to the next version.
public struct MigrationStage: Sendable {
    let from: Int
    let to: Int
    let body: @Sendable (Migration) throws -> Void

    /// Creates a custom stage.
    ///
    /// - Parameters:
    ///   - from: The frozen version before the stage.
    ///   - to: The version after the stage, which is the next frozen version or the model's version.
    ///   - body: A closure that changes the objects of the version `to`. It runs in the migration's transaction, after the automatic
    ///     changes between the two versions. If the closure throws, the migration is rolled back, and opening the database throws
    ///     ``ObjectError`` with code `migrationFailed`.
    public init(from: Int, to: Int, _ body: @escaping @Sendable (Migration) throws -> Void) {
        self.from = from
        self.to = to
        self.body = body
    }
}
#endif
