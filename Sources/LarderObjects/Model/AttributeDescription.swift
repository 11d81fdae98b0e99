#if Objects
/// What can be said about an attribute beside its type.
public struct AttributeOption: Sendable, Hashable {
    let name: String

    /// No two objects of the entity may have the same value; `nil` may occur any number of times.
    public static let unique = AttributeOption(name: "unique")
    /// Finding objects by this attribute, and sorting by it, uses an index.
    public static let indexed = AttributeOption(name: "indexed")
    /// Searching in the text of this attribute, whatever the case and the accents, is made fast.
    ///
    /// The text is stored a second time, without case and accents, which `localizedStandardContains` in a `#Predicate` and
    /// `containsIgnoringCaseAndAccents` look at instead.
    public static let searchable = AttributeOption(name: "searchable")
    /// The property is not stored.
    ///
    /// It is an ordinary property of the instance, and needs a default. No other option goes with it.
    public static let transient = AttributeOption(name: "transient")
    /// The struct that the entity bridges does not have the property.
    public static let unbridged = AttributeOption(name: "unbridged")
}

/// One attribute of an entity.
package struct AttributeDescription: @unchecked Sendable {
    // Sendable: all of it is constant; a key path that the macro writes captures nothing.
    package let name: String
    package let keyPath: AnyKeyPath
    package let isOptional: Bool
    package let format: AttributeFormat
    let options: Set<AttributeOption>
    let formerName: String?
    /// The stored form of a new object's value; `nil` means that it must be set before the first save.
    ///
    /// Throws ``UnstorableValue`` when the value has none.
    package let makeDefault: (@Sendable () throws -> ColumnValue)?
    /// The stored form of a value of the attribute's type, or of what an optional of it holds; `nil` for another type.
    package let encode: @Sendable (Any) -> ColumnValue?
    /// Why a value of the attribute's type has no stored form; `nil` for one that has, and for another type.
    let unstorable: @Sendable (Any) -> UnstorableValue?
    /// Whether a stored form can be read as the attribute's type.
    package let canDecode: @Sendable (ColumnValue) -> Bool
    /// Why a stored form can't be read as the attribute's type, if there is more to say than that.
    let decodingError: @Sendable (ColumnValue) -> (any Error)?
    /// The type of its values.
    package let valueType: Any.Type

    /// Whether no two objects may share a value.
    package var isUnique: Bool { options.contains(.unique) }

    init<Coding: AttributeCoding>(
        name: String,
        keyPath: AnyKeyPath,
        coding: Coding.Type,
        options: Set<AttributeOption>,
        formerName: String?,
        makeDefault: (@Sendable () throws -> ColumnValue)?
    ) {
        self.name = name
        self.keyPath = keyPath
        self.isOptional = Coding.isOptional
        self.format = Coding.format
        self.options = options
        self.formerName = formerName
        self.makeDefault = makeDefault
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
