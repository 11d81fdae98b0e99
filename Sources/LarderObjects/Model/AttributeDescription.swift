#if Objects
/// The object to keep when a migration can keep only one of several objects.
public enum KeptObject: String, Sendable, Hashable, Codable {
    /// The object that was inserted last, which has the largest id.
    case newest
    /// The object that was inserted first, which has the smallest id.
    case oldest
}

/// An option in an ``Attribute(_:was:)`` declaration.
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

    /// No two objects of the entity may have the same value.
    ///
    /// Any number of objects may have the value `nil`.
    public static let unique = AttributeOption(name: "unique")
    /// No two objects of the entity may have the same value, and a migration that adds this constraint deletes duplicates.
    ///
    /// When the constraint is new, one of the objects that share a value is kept, and the others are deleted according to their delete
    /// rules. Without `keeping`, duplicates prevent the migration.
    ///
    /// - Parameter kept: The object to keep.
    /// - Returns: The option.
    public static func unique(keeping kept: KeptObject) -> AttributeOption {
        AttributeOption(name: "unique", keeping: kept)
    }
    /// The attribute has an index, which speeds up filtering and sorting by the attribute.
    public static let indexed = AttributeOption(name: "indexed")
    /// A case- and accent-folded copy of the string is stored in a second column, which speeds up substring searches.
    ///
    /// `localizedStandardContains` in a `#Predicate` and `containsIgnoringCaseAndAccents` search the second column.
    public static let searchable = AttributeOption(name: "searchable")
    /// If the attribute's type changes, values that the new type can't represent exactly are replaced with the nearest representable
    /// values.
    ///
    /// Without this option, such values prevent the migration.
    public static let inexact = AttributeOption(name: "inexact")
    /// The property is not stored in the database.
    ///
    /// A transient property is an ordinary property of the instance, needs a default value, and can't have other options.
    public static let transient = AttributeOption(name: "transient")
    /// The struct to which the entity converts does not contain the property.
    public static let unbridged = AttributeOption(name: "unbridged")
}

/// The description of one attribute of an entity.
package struct AttributeDescription: @unchecked Sendable {
    // `@unchecked Sendable` is safe because every property is constant, and the key paths that the macro generates capture nothing.
    package let name: String
    package let keyPath: AnyKeyPath
    package let isOptional: Bool
    package let format: AttributeFormat
    let options: Set<AttributeOption>
    /// The names that the attribute had in earlier versions, oldest first.
    let formerNames: [String]
    /// A closure that returns the default value in its stored form, or `nil` if the attribute must be set before the first save.
    ///
    /// The closure throws ``UnstorableValue`` if the default can't be stored.
    package let makeDefault: (@Sendable () throws -> ColumnValue)?
    /// A closure that returns the stored form of a migration's replacement value, or `nil` if there is no replacement.
    ///
    /// A migration writes the replacement for `nil` in a required attribute, and for values that the type can't decode. Without a
    /// replacement, such values prevent the migration. The closure throws ``UnstorableValue`` if the replacement can't be stored.
    let makeReplacement: (@Sendable () throws -> ColumnValue)?
    /// A closure that encodes a value of the attribute's type, or of its wrapped type.
    ///
    /// The closure returns `nil` for a value of another type.
    package let encode: @Sendable (Any) -> ColumnValue?
    /// A closure that returns an error that explains why a value can't be stored.
    ///
    /// The closure returns `nil` if the value can be stored or has another type.
    let unstorable: @Sendable (Any) -> UnstorableValue?
    /// A closure that returns whether a stored form can be decoded as the attribute's type.
    package let canDecode: @Sendable (ColumnValue) -> Bool
    /// A closure that returns the error that occurs when a stored form is decoded, or `nil` if there is no specific error.
    let decodingError: @Sendable (ColumnValue) -> (any Error)?
    /// The Swift type of the attribute.
    package let valueType: Any.Type

    /// Whether the attribute's values must be unique.
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
        self.valueType = Coding.Value.self
    }
}
#endif
