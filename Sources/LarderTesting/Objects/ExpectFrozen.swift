#if Objects
public import Foundation
public import LarderObjects

/// Checks that a model and its frozen versions agree, so that a release can open the files of every earlier release.
///
/// ```swift
/// @Test func modelIsFrozen() throws { try expectFrozen(Shop.model, in: models) }
/// ```
///
/// The check fails if the model has changed without a new version, if a version has no file or several files, or if a migration between two
/// versions may lose data although the model does not declare the loss. It also fails if the success of a migration may depend on the
/// data in the database.
///
/// - Parameters:
///   - model: The program's model.
///   - folder: The folder with the files `v1.json`, `v2.json` and so on, which `ObjectModel.freeze(in:)` writes.
///   - unused: The version numbers that the model has skipped. No files are expected for these versions.
/// - Throws: ``FrozenModelProblem``, whose description says what to do; `ObjectError` if the model is invalid or a file is not a frozen
///   model; or any error that occurs while reading the folder.
public func expectFrozen(_ model: ObjectModel, in folder: URL, unused: Set<Int> = []) throws {
    let current = try model.frozen()
    guard FileManager.default.fileExists(atPath: folder.path) else {
        throw FrozenModelProblem.missing(version: current.version)
    }
    let files = try FrozenVersions.urls(in: folder).map { url in
        (name: url.lastPathComponent, number: FrozenVersions.number(of: url), model: try FrozenModel(contentsOf: url))
    }
    for (version, same) in Dictionary(grouping: files, by: \.model.version).sorted(by: { $0.key < $1.key })
    where same.count > 1 {
        throw FrozenModelProblem.equalVersions(version, files: same.map(\.name))
    }
    for file in files where file.number != file.model.version {
        throw FrozenModelProblem.misnamed(file: file.name, version: file.model.version)
    }
    let versions = files.map(\.model).sorted { $0.version < $1.version }
    if let last = versions.last, last.version > current.version {
        throw FrozenModelProblem.higher(version: last.version, modelVersion: current.version)
    }
    let numbers = Set(versions.map(\.version)).union(unused)
    for number in (versions.first?.version ?? current.version)..<current.version where !numbers.contains(number) {
        throw FrozenModelProblem.missing(version: number)
    }
    guard let frozen = versions.last, frozen.version == current.version else {
        throw FrozenModelProblem.missing(version: current.version)
    }
    guard frozen == current else {
        throw FrozenModelProblem.changed(version: current.version, changes: frozen.changes(to: current))
    }
    if let planned = try model.plannedVersions() {
        for version in versions.dropLast() where !planned.contains(version.version) {
            throw FrozenModelProblem.unplanned(version: version.version)
        }
    }
    if let step = try model.undecidedSteps(versions).first {
        throw FrozenModelProblem.undecided(
            fromVersion: step.fromVersion,
            toVersion: step.toVersion,
            losses: step.losses,
            refusals: step.refusals
        )
    }
}
#endif
