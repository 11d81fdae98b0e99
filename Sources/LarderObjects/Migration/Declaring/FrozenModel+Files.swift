#if Objects
public import Foundation

extension FrozenModel {
    /// Reads the model stored in a database file.
    ///
    /// The program doesn't need the model's classes. If an earlier version of Larder created the file, the stored model lacks migration
    /// declarations and enumeration types until the file is first migrated.
    ///
    /// - Parameter url: The URL of the database file, which is not changed.
    /// - Throws: ``ObjectError`` if the file can't be read, is not a LarderObjects database, or was written by a newer version of Larder.
    public init(ofDatabaseAt url: URL) throws {
        let database = try ObjectDatabase(reading: url.path)
        defer { database.close() }
        self = try database.frozen()
    }

    /// Writes the model to the file `vN.json` in a folder, where N is the model's version.
    ///
    /// A file with the same contents is left unchanged.
    ///
    /// - Parameter folder: The URL of the folder. A missing folder is created.
    /// - Returns: The URL of the file.
    /// - Throws: ``ObjectError`` with code `invalidModel` if the folder contains a different model with the same version. The existing file
    ///   is not replaced. Otherwise, any error that occurs while writing the file.
    @discardableResult public func write(in folder: URL) throws -> URL {
        let content = try json()
        let url = folder.appendingPathComponent("v\(version).json")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        do {
            try content.write(to: url, options: .withoutOverwriting)
        } catch let error as CocoaError where error.code == .fileWriteFileExists {
            guard try Data(contentsOf: url) == content else {
                throw ObjectError(
                    .invalidModel,
                    "Version \(version) is already frozen, but this model differs from it. Increase the model's version, then freeze the model again.",
                    path: url.path
                )
            }
        }
        return url
    }

    /// Returns short descriptions of the differences between this model and another model.
    ///
    /// - Parameter other: The other model.
    /// - Returns: The differences, or an empty array if the models are equal.
    package func changes(to other: FrozenModel) -> [String] {
        guard self != other else { return [] }
        let step = InferredStep(from: self, to: other, isFirstFormat: false)
        let changes = step.actions + step.refusals
        return changes.isEmpty ? ["change the declarations or the type of an attribute"] : changes
    }
}
#endif
