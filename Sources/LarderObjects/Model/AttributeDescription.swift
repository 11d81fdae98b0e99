#if Objects
/// The object that a migration keeps when several objects violate a new unique constraint.
public enum KeptObject: String, Sendable, Hashable, Codable {
    /// The most recently inserted object, which has the largest id.
    case newest
    /// The earliest inserted object, which has the smallest id.
    case oldest
}

/// An option for an attribute declared with ``Attribute(_:was:)``.
public struct AttributeOption: Sendable, Hashable {
    let name: String
    /// The object to keep when several objects violate a new unique constraint.
    ///
    /// If `nil`, duplicates prevent the migration.
    var keeping: KeptObject?

    init(name: String, keeping: KeptObject? = nil) {
        self.name = name
        self.keeping = keeping
    }

    /// The attribute's value must be unique among the objects of the entity.
    ///
    /// Any number of objects may have the value `nil`.
    public static let unique = AttributeOption(name: "unique")
    /// The attribute's value must be unique, and a migration that adds the constraint deletes duplicates.
    ///
    /// Of the objects that share a value, one is kept. The others are deleted according to their delete rules. Without `keeping`,
    /// duplicates prevent the migration.
    ///
    /// - Parameter kept: The object to keep.
    /// - Returns: The option.
    public static func unique(keeping kept: KeptObject) -> AttributeOption {
        AttributeOption(name: "unique", keeping: kept)
    }
    /// The attribute is indexed, which speeds up filtering and sorting by the attribute.
    public static let indexed = AttributeOption(name: "indexed")
    /// A case- and accent-folded copy of the string is stored in a second column, which speeds up substring searches.
    ///
    /// `localizedStandardContains` in a `#Predicate` and `containsIgnoringCaseAndAccents` search the second column.
    public static let searchable = AttributeOption(name: "searchable")
    /// If the attribute's type changes, a migration replaces values that can't be converted exactly with the nearest representable values.
    ///
    /// Without this option, such values prevent the migration.
    public static let inexact = AttributeOption(name: "inexact")
    /// The history keeps the value when the object is deleted, if the file keeps saves.
    ///
    /// See ``HistoryPolicy/kept(oldValues:limit:)`` and ``ObjectChange/oldValue(_:as:)``. The option does not change the stored schema, so
    /// it can be added and removed without a migration.
    public static let preserveValueOnDeletion = AttributeOption(name: "preserveValueOnDeletion")
    /// The property is not stored in the database.
    ///
    /// A transient property needs a default value and can't have other options.
    public static let transient = AttributeOption(name: "transient")
    /// The property is omitted from the entity's bridged struct.
    public static let unbridged = AttributeOption(name: "unbridged")
}

package struct AttributeDescription: @unchecked Sendable {
    // `@unchecked Sendable` is safe because every property is constant, and the key paths that the macro generates capture nothing.
    package let name: String
    package let keyPath: AnyKeyPath
    package let isOptional: Bool
    package let format: AttributeFormat
    let options: Set<AttributeOption>
    /// The names of the attribute in earlier model versions, oldest first.
    let formerNames: [String]
    /// A closure that returns the default value in its stored form, or `nil` if the attribute must be set before the first save.
    ///
    /// The closure throws ``UnstorableValue`` if the default can't be stored.
    package let makeDefault: (@Sendable () throws -> ColumnValue)?
    /// A closure that returns a migration's replacement value in its stored form, or `nil` if there is no replacement.
    ///
    /// A migration writes the replacement for `nil` in a required attribute, and for values that the type can't decode. The closure throws
    /// ``UnstorableValue`` if the replacement can't be stored.
    let makeReplacement: (@Sendable () throws -> ColumnValue)?
    /// A closure that encodes a value of the attribute's type or its wrapped type, and returns `nil` for a value of another type.
    package let encode: @Sendable (Any) -> ColumnValue?
    /// A closure that returns the reason why a value can't be stored, or `nil` if the value can be stored or has another type.
    let unstorable: @Sendable (Any) -> UnstorableValue?
    /// A closure that returns whether a stored value can be decoded as the attribute's type.
    package let canDecode: @Sendable (ColumnValue) -> Bool
    /// A closure that returns the error from decoding a stored value, or `nil` if the attribute's coding provides no error.
    let decodingError: @Sendable (ColumnValue) -> (any Error)?
    /// A closure that returns the description of a stored value, or `nil` if the value is `nil` or can't be decoded.
    let describe: @Sendable (ColumnValue) -> String?
    package let valueType: Any.Type

    package var isUnique: Bool { options.contains { $0.name == AttributeOption.unique.name } }
    /// The object to keep when several objects violate a new unique constraint on this attribute.
    var keeping: KeptObject? { options.first { $0.name == AttributeOption.unique.name && $0.keeping != nil }?.keeping }

    init<Coding: AttributeCoding>(
        name: String,
        keyPath: AnyKeyPath,
        coding: Coding.Type,
        options: Set<AttributeOption>,
        formerNames: [String] = [],
        makeDefault: (@Sendable () throws -> ColumnValue)?,
        makeReplacement: (@Sendable () throws -> ColumnValue)? = nil
    ) {
        self.name = name
        self.keyPath = keyPath
        self.isOptional = Coding.isOptional
        self.format = Coding.format
        self.options = options
        self.formerNames = formerNames
        self.makeDefault = makeDefault
        self.makeReplacement = makeReplacement
        self.encode = { value in (value as? Coding.Value).map { Coding.encode($0) } }
        self.unstorable = { value in
            guard let value = value as? Coding.Value, Coding.encode(value).isNull, !Coding.isNil(value) else {
                return nil
            }
            return UnstorableValue(cause: Coding.encodingError(of: value))
        }
        self.canDecode = { Coding.decode($0) != nil }
        self.decodingError = { Coding.decodingError(of: $0) }
        self.describe = { column in
            guard let value = Coding.decode(column) else { return nil }
            guard let optional = value as? any OptionalType else { return String(describing: value) }
            return optional.wrappedValue.map { String(describing: $0) }
        }
        self.valueType = Coding.Value.self
    }
}
#endif
