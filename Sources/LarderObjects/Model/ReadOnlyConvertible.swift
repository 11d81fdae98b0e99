#if Objects
/// An object that converts to and from a plain value, usually a struct.
///
/// The plain value can be `Sendable` and can come from a module that doesn't import Larder.
/// ``Entity(unique:indexes:was:dropping:keeping:bridges:)`` generates the conformance.
public protocol ReadOnlyConvertible: Object {
    /// The type of the plain value.
    associatedtype ReadOnlyType

    /// Sets the object's properties from a plain value.
    ///
    /// Setting a property to the value that it already has is not a change.
    ///
    /// Nested objects are matched with nested values by the first unique constraint of their class, or by position if there is none. A
    /// nested object without a matching value is deleted if the relationship cascades deletions. Otherwise, the object is only removed from
    /// the relationship.
    ///
    /// - Parameter value: The new values of the properties.
    func update(with value: ReadOnlyType)

    /// Returns the object's current properties as a plain value.
    func toReadOnly() -> ReadOnlyType

    /// Encodes the plain value's property that corresponds to an attribute.
    ///
    /// The `@Entity` macro generates this method.
    ///
    /// - Parameters:
    ///   - attribute: The index of the attribute.
    ///   - value: The plain value.
    /// - Returns: The stored form, or `nil` if the plain value does not contain the attribute.
    static func columnValue(_ attribute: Int, of value: ReadOnlyType) -> ColumnValue?

    /// Creates a plain value from a row, without creating an object.
    ///
    /// The `@Entity` macro generates this method.
    ///
    /// - Parameter row: The current row.
    /// - Returns: The plain value, or `nil` if it can't be created from the row alone.
    static func readOnlyValue(of row: ObjectRow) -> ReadOnlyType?

    /// Creates plain values from all remaining rows.
    ///
    /// The default implementation is sufficient. The method is a requirement so that the compiler specializes it for the class.
    ///
    /// - Parameter rows: The rows.
    /// - Returns: The plain values, or `nil` if they can't be created from the rows alone.
    /// - Throws: Any error that occurs while reading the database.
    static func readOnlyValues(of rows: ObjectRow) throws -> [ReadOnlyType]?

    /// Encodes the property that corresponds to an attribute, for each of several plain values.
    ///
    /// The default implementation is sufficient. The method is a requirement so that the compiler specializes it for the class.
    ///
    /// - Parameters:
    ///   - attribute: The index of the attribute.
    ///   - values: The plain values.
    /// - Returns: The stored forms, or `nil` if the plain values do not contain the attribute.
    static func columnValues(_ attribute: Int, of values: [ReadOnlyType]) -> [ColumnValue]?

    /// Updates objects with plain values.
    ///
    /// The default implementation is sufficient. The method is a requirement so that the compiler specializes it for the class.
    ///
    /// - Parameters:
    ///   - objects: The objects to update.
    ///   - values: The plain values.
    ///   - places: For each value, the index of the object to update.
    static func update(_ objects: [Self], with values: [ReadOnlyType], at places: [Int])

    /// Returns the states of the given objects.
    ///
    /// The default implementation is sufficient. The method is a requirement so that the compiler specializes it for the class.
    ///
    /// - Parameter objects: The objects.
    /// - Returns: The objects' states in the same order.
    static func states(of objects: [Self]) -> [ObjectState]
}

extension ReadOnlyConvertible {
    /// Returns `nil`.
    ///
    /// The implementation that the macro generates returns the value of the attribute.
    ///
    /// - Parameters:
    ///   - attribute: The index of the attribute.
    ///   - value: The plain value.
    /// - Returns: Always `nil`.
    public static func columnValue(_ attribute: Int, of value: ReadOnlyType) -> ColumnValue? { nil }

    /// Returns `nil`, so that the caller creates plain values from objects.
    ///
    /// The macro generates another implementation.
    ///
    /// - Parameter row: The current row.
    /// - Returns: Always `nil`.
    public static func readOnlyValue(of row: ObjectRow) -> ReadOnlyType? { nil }

    /// Encodes the property that corresponds to an attribute, for each of several plain values.
    ///
    /// - Parameters:
    ///   - attribute: The index of the attribute.
    ///   - values: The plain values.
    /// - Returns: The stored forms, or `nil` if the plain values do not contain the attribute.
    @inlinable
    public static func columnValues(_ attribute: Int, of values: [ReadOnlyType]) -> [ColumnValue]? {
        var stored: [ColumnValue] = []
        stored.reserveCapacity(values.count)
        for value in values {
            guard let value = columnValue(attribute, of: value) else { return nil }
            stored.append(value)
        }
        return stored
    }

    /// Updates objects with plain values.
    ///
    /// - Parameters:
    ///   - objects: The objects to update.
    ///   - values: The plain values.
    ///   - places: For each value, the index of the object to update.
    @inlinable
    public static func update(_ objects: [Self], with values: [ReadOnlyType], at places: [Int]) {
        for (value, place) in zip(values, places) { objects[place].update(with: value) }
    }

    /// Returns the states of the given objects.
    ///
    /// - Parameter objects: The objects.
    /// - Returns: The objects' states in the same order.
    @inlinable
    public static func states(of objects: [Self]) -> [ObjectState] { objects.map(\.objectState) }

    /// Creates plain values from all remaining rows.
    ///
    /// - Parameter rows: The rows.
    /// - Returns: The plain values, or `nil` if they can't be created from the rows alone.
    /// - Throws: Any error that occurs while reading the database.
    @inlinable
    public static func readOnlyValues(of rows: ObjectRow) throws -> [ReadOnlyType]? {
        var values: [ReadOnlyType] = []
        while try rows.next() {
            guard let value = readOnlyValue(of: rows) else { return nil }
            values.append(value)
        }
        return values
    }
}

/// A struct that LarderObjects can store.
///
/// ``Persistable(unique:indexes:parent:named:was:dropping:keeping:)`` generates the conformance.
public protocol PersistableValue {
    /// The entity class that stores the struct.
    associatedtype StoredObject: ReadOnlyConvertible where StoredObject.ReadOnlyType == Self
}
#endif
