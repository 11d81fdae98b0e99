#if Objects
package import LarderObjects

/// A migration of a library from version 1 to version 2.
package enum LibraryMigration: String, Sendable, CaseIterable {
    case inferred
    case custom

    /// Returns the model of version 2.
    package func model() throws -> ObjectModel {
        switch self {
        case .inferred: Library.Inferred.model
        case .custom: try Library.Custom.model()
        }
    }

    /// Returns whether all objects are those that ``Library/fill(_:)`` inserted, migrated.
    package func isComplete(_ storage: any StorageType) throws -> Bool {
        switch self {
        case .inferred: try Library.Inferred.isComplete(storage)
        case .custom: try Library.Custom.isComplete(storage)
        }
    }
}
#endif
