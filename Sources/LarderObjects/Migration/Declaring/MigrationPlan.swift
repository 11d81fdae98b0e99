#if Objects
public import Foundation

/// The frozen earlier versions of a model, and the custom stages between them.
///
/// A file is migrated from its version through every later frozen version to the model. Each step runs the plan's custom stage for that
/// step, if there is one, and is otherwise inferred. All steps run in one transaction.
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

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - versions: The frozen versions. They are read only if a file must be migrated.
    ///   - stages: The custom stages. Each leads from a frozen version to the next one, or to the model.
    public init(versions: FrozenVersions, stages: [MigrationStage] = []) {
        self.versions = versions
        self.stages = stages
    }

    /// Returns the problems that can be detected without reading the frozen versions.
    func problems(version: Int) -> [String] {
        var problems: [String] = []
        for stage in stages where stage.from >= stage.to || stage.to > version {
            problems.append(
                "The stage from \(stage.from) to \(stage.to) must lead to a higher version, at most \(version). Correct its versions."
            )
        }
        for from in Set(stages.map(\.from)).sorted() where stages.count(where: { $0.from == from }) > 1 {
            problems.append("The plan has several stages from version \(from). Combine them in one stage.")
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

    /// Returns the versions in the files `v1.json`, `v2.json` and so on of a folder, such as a resource folder of the program.
    ///
    /// - Parameter folder: The URL of the folder.
    /// - Returns: The frozen versions.
    public static func files(in folder: URL) -> FrozenVersions { FrozenVersions(source: .folder(folder)) }

    /// Returns versions that were already read, such as from data in the program.
    ///
    /// - Parameter models: The frozen models, in any order.
    /// - Returns: The frozen versions.
    public static func models(_ models: [FrozenModel]) -> FrozenVersions { FrozenVersions(source: .models(models)) }

    /// Reads the versions.
    ///
    /// - Returns: The versions in ascending order.
    /// - Throws: ``ObjectError`` with code `invalidModel` if a file can't be read, or if two versions are equal.
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
                "Version \(model.version) of the model is frozen twice. Remove one of the two models. Nothing was changed."
            )
        }
        return sorted
    }

    /// Returns the files `v1.json`, `v2.json` and so on of a folder, sorted by name.
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
                "The frozen versions of the model can't be read. Make sure that the program contains their folder. Nothing was changed.",
                path: folder.path,
                underlying: error
            )
        }
    }

    /// Returns the version in the name of a file such as `v3.json`, or `nil` for any other name.
    package static func number(of url: URL) -> Int? {
        let name = url.lastPathComponent
        guard name.hasPrefix("v"), name.hasSuffix(".json") else { return nil }
        return Int(name.dropFirst().dropLast(5))
    }
}

/// A custom stage of a migration, from a frozen version of a model to the next one.
public struct MigrationStage: Sendable {
    let from: Int
    let to: Int
    let body: @Sendable (Migration) throws -> Void

    /// Creates a stage.
    ///
    /// - Parameters:
    ///   - from: The frozen version before the stage.
    ///   - to: The next frozen version, or the version of the model.
    ///   - body: A closure that changes the new objects. It runs in the transaction of the migration, after all automatic changes between
    ///     the two versions. If it throws, the migration is undone, and opening the file throws ``ObjectError`` with code `migrationFailed`.
    public init(from: Int, to: Int, _ body: @escaping @Sendable (Migration) throws -> Void) {
        self.from = from
        self.to = to
        self.body = body
    }
}
#endif
