#if Objects
public import LarderObjects

/// A difference between a model and its frozen versions.
public enum FrozenModelProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The model differs from the frozen model of the same version.
    case changed(version: Int, changes: [String])
    /// There is no frozen model file for a version of the model.
    case missing(version: Int)
    /// Several files contain the same version of the model.
    case equalVersions(Int, files: [String])
    /// A file's name does not match the version that the file contains.
    case misnamed(file: String, version: Int)
    /// The folder contains a frozen version that is higher than the model's version.
    case higher(version: Int, modelVersion: Int)
    /// The model's migration plan omits a frozen version.
    case unplanned(version: Int)
    /// A migration between two versions can't be inferred, or may lose data without a declaration that allows the loss.
    case undecided(fromVersion: Int, toVersion: Int, losses: [MigrationLoss], refusals: [String])

    /// The problem and how to solve it.
    public var description: String {
        switch self {
        case .changed(let version, let changes):
            "The model differs from v\(version).json: \(changes.joined(separator: ", ")). If files of version \(version) may exist, increase "
                + "the model's version to \(version + 1) and freeze it with `model.freeze(in:)`. Otherwise delete v\(version).json, "
                + "and freeze the model again."
        case .missing(let version):
            "Version \(version) of the model has no file v\(version).json. Restore it from the repository, or, if this is the model's own "
                + "version, freeze the model with `model.freeze(in:)`."
        case .equalVersions(let version, let files):
            "Several files contain version \(version) of the model: \(files.joined(separator: ", ")). Delete all but v\(version).json."
        case .misnamed(let file, let version):
            "The file \(file) contains version \(version) of the model. Rename it to v\(version).json."
        case .higher(let version, let modelVersion):
            "Version \(version) is frozen, but the model has version \(modelVersion). Increase the model's version, or delete "
                + "v\(version).json if no database of that version exists."
        case .unplanned(let version):
            "The migration plan does not contain the frozen version \(version). Add the version to the plan."
        case .undecided(let from, let to, let losses, let refusals):
            "The migration from version \(from) to version \(to) can't be inferred, or may lose data. Declare in version \(to) what to do and "
                + "freeze it again, or write a stage from \(from) to \(to):"
                + (refusals + losses.map(\.description)).map { "\n- " + $0 }.joined()
        }
    }
}
#endif
