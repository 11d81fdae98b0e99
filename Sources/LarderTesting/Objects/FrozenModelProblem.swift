#if Objects
public import LarderObjects

/// A reason why a model does not agree with its frozen versions.
public enum FrozenModelProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The model differs from the file of its version, by the listed changes.
    case changed(version: Int, changes: [String])
    /// A version has no file.
    case missing(version: Int)
    /// Several files contain the same version.
    case equalVersions(Int, files: [String])
    /// The name of a file is not that of the version that the file contains.
    case misnamed(file: String, version: Int)
    /// The folder contains a version that is higher than that of the model.
    case higher(version: Int, modelVersion: Int)
    /// The plan of the model does not contain a frozen version.
    case unplanned(version: Int)
    /// A step between two versions may lose data about which the later version declares nothing, or can't be inferred.
    case undecided(fromVersion: Int, toVersion: Int, losses: [MigrationLoss], refusals: [String])

    /// What is wrong and what to do about it.
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
            "Version \(version) of the model is in several files: \(files.joined(separator: ", ")). Delete all but v\(version).json."
        case .misnamed(let file, let version):
            "The file \(file) contains version \(version) of the model. Rename it to v\(version).json."
        case .higher(let version, let modelVersion):
            "Version \(version) is frozen, but the model has version \(modelVersion). Increase the model's version, or delete "
                + "v\(version).json if no file of that version exists."
        case .unplanned(let version):
            "The plan of the model does not contain the frozen version \(version). Add it to the versions of the plan."
        case .undecided(let from, let to, let losses, let refusals):
            "The step from version \(from) to version \(to) is undecided. Declare in version \(to) what to do and freeze it again, or write a "
                + "stage from \(from) to \(to):" + (refusals + losses.map(\.description)).map { "\n- " + $0 }.joined()
        }
    }
}
#endif
