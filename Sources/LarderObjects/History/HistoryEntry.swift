#if Objects
public import Foundation

/// A save, or consecutive changes of another program, in the history of a database file.
public struct HistoryEntry: Sendable, Hashable {
    /// What an entry describes.
    public enum Scope: Sendable, Hashable {
        /// Only the objects in ``HistoryEntry/changes`` changed.
        case objects
        /// All objects were deleted.
        case reset
        /// The file was migrated from one version of the model to another.
        case migration(from: Int, to: Int)
        /// Any object may have changed.
        case anything
    }

    /// The position after this entry.
    public let token: HistoryToken
    /// The time of the save.
    public let time: Date
    /// The name under which the save was recorded, or `nil` if another program made the changes.
    public let author: String?
    /// Whether a program other than Larder made the changes.
    ///
    /// The names of its changed attributes are not known. An object that the program inserted and then deleted is listed as deleted, because it
    /// may have existed before: a program can insert an object in place of another one with the same id.
    public let isForeign: Bool
    /// What the save changed as a whole.
    public let scope: Scope
    /// The changed objects, each of which occurs once.
    public let changes: [ObjectChange]
}

/// The change of one object in a ``HistoryEntry``.
public struct ObjectChange: Sendable, Hashable {
    /// The kind of a change.
    public enum Kind: String, Sendable, Hashable { case inserted, updated, deleted }

    /// Whether the object was inserted, updated or deleted.
    public let kind: Kind
    /// The id of the object.
    public let objectID: ObjectID
    /// The names of the changed attributes and relationships of an update, or `nil` if the names are not known.
    ///
    /// A relationship whose reference is stored in the related object is not included. The set of an inserted or deleted object is `nil`.
    public let properties: Set<String>?
    /// The recorded values before the save, in their stored forms, by the names of properties.
    var oldValues: [String: ColumnValue] = [:]
    /// The entities to which the recorded relationships refer, by the names of the relationships.
    var destinations: [String: String] = [:]
}

extension ObjectChange {
    /// The names of the properties whose values before the save are recorded.
    ///
    /// For an update, these are the changed properties if the file keeps old values; see ``HistoryPolicy/kept(oldValues:limit:)``. For a
    /// deletion, these are the attributes with ``AttributeOption/preserveValueOnDeletion`` if the file keeps saves. The values before changes
    /// by other programs are not recorded.
    public var recordedProperties: Set<String> { Set(oldValues.keys) }

    /// Returns the value that an attribute had before the save.
    ///
    /// For an updated object, this is the old value. For a deleted object, it is a value that the object's tombstone keeps.
    ///
    /// - Parameters:
    ///   - property: The name of the attribute, as of the save.
    ///   - type: The type of the value. An attribute of an optional type can be read as the wrapped type.
    /// - Returns: The value, or `nil` if the value was `nil` or is not recorded; see ``recordedProperties``.
    /// - Throws: ``ObjectError`` with code `modelMismatch` if the stored value can't be decoded as `type`.
    public func oldValue<Value: ColumnConvertible>(
        _ property: String,
        as type: Value.Type = Value.self
    ) throws -> Value? {
        guard let stored = oldValues[property], !stored.isNull else { return nil }
        if let value = Value.fromColumn(stored) { return value }
        throw ObjectError(
            .modelMismatch,
            "The old value of \(objectID.entityName).\(property) can't be read as \(Value.self). Specify the type that the attribute had "
                + "when the value was saved."
        )
    }

    /// Returns the id of the object to which a to-one relationship referred before the save.
    ///
    /// - Parameter relationship: The name of a relationship in ``recordedProperties``.
    /// - Returns: The id, or `nil` if the relationship was `nil` or its value is not recorded.
    public func oldReference(_ relationship: String) -> ObjectID? {
        guard let id = oldValues[relationship]?.integerValue, let entity = destinations[relationship] else {
            return nil
        }
        return ObjectID(entityName: entity, rowID: id)
    }
}
#endif
