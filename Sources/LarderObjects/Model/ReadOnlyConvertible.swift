#if Objects
/// An object that can be filled from a plain value, and turned into one.
///
/// The value is what the rest of a program works with: it is `Sendable`, and may come from a module that knows nothing of
/// storage. ``Entity(unique:indexes:bridges:)`` writes all of it.
public protocol ReadOnlyConvertible: Object {
    /// The plain value.
    associatedtype ReadOnlyType

    /// Sets the properties from a value. One that is set to what it was is no change.
    ///
    /// Objects inside of it are recognised by the first uniqueness of their class, or by their place. What is no longer there
    /// is deleted where it goes with its owner, and let go otherwise.
    ///
    /// - Parameter value: The value.
    func update(with value: ReadOnlyType)

    /// The plain value of what the properties are now.
    func toReadOnly() -> ReadOnlyType

    /// The stored form that an attribute has after an update with a value; for the code that the macro writes.
    ///
    /// - Parameters:
    ///   - attribute: The place of the attribute among those of the class.
    ///   - value: The value.
    /// - Returns: The stored form, or `nil` when the value does not have the attribute.
    static func columnValue(_ attribute: Int, of value: ReadOnlyType) -> ColumnValue?

    /// The plain value of a row, without an object between; for the code that the macro writes.
    ///
    /// - Parameter row: The row.
    /// - Returns: The value, or `nil` when there is more to it than its row.
    static func readOnlyValue(of row: ObjectRow) -> ReadOnlyType?

    /// The plain values of all rows that are left.
    ///
    /// There is no need to write one: it is here so that it is compiled for the class.
    ///
    /// - Parameter rows: The rows.
    /// - Returns: The values, or `nil` when there is more to them than their rows.
    /// - Throws: Why the database could not be read.
    static func readOnlyValues(of rows: ObjectRow) throws -> [ReadOnlyType]?

    /// The stored forms that an attribute has after updates with values.
    ///
    /// There is no need to write one: it is here so that it is compiled for the class.
    ///
    /// - Parameters:
    ///   - attribute: The place of the attribute among those of the class.
    ///   - values: The values.
    /// - Returns: The stored forms, or `nil` when the values do not have the attribute.
    static func columnValues(_ attribute: Int, of values: [ReadOnlyType]) -> [ColumnValue]?

    /// Updates objects with values.
    ///
    /// There is no need to write one: it is here so that it is compiled for the class.
    ///
    /// - Parameters:
    ///   - objects: The objects.
    ///   - values: The values.
    ///   - places: For each value the place of its object.
    static func update(_ objects: [Self], with values: [ReadOnlyType], at places: [Int])

    /// The values and the bookkeeping of objects.
    ///
    /// There is no need to write one: it is here so that it is compiled for the class.
    ///
    /// - Parameter objects: The objects.
    /// - Returns: The states.
    static func states(of objects: [Self]) -> [ObjectState]
}

extension ReadOnlyConvertible {
    /// Knows nothing; the macro writes one that does.
    ///
    /// - Parameters:
    ///   - attribute: The place of the attribute among those of the class.
    ///   - value: The value.
    /// - Returns: Always `nil`.
    public static func columnValue(_ attribute: Int, of value: ReadOnlyType) -> ColumnValue? { nil }

    /// Knows nothing; the macro writes one that does.
    ///
    /// - Parameter row: The row.
    /// - Returns: Always `nil`.
    public static func readOnlyValue(of row: ObjectRow) -> ReadOnlyType? { nil }

    /// The stored forms that an attribute has after updates with values.
    ///
    /// - Parameters:
    ///   - attribute: The place of the attribute among those of the class.
    ///   - values: The values.
    /// - Returns: The stored forms, or `nil` when the values do not have the attribute.
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

    /// Updates objects with values.
    ///
    /// - Parameters:
    ///   - objects: The objects.
    ///   - values: The values.
    ///   - places: For each value the place of its object.
    @inlinable
    public static func update(_ objects: [Self], with values: [ReadOnlyType], at places: [Int]) {
        for (value, place) in zip(values, places) { objects[place].update(with: value) }
    }

    /// The values and the bookkeeping of objects.
    ///
    /// - Parameter objects: The objects.
    /// - Returns: The states.
    @inlinable
    public static func states(of objects: [Self]) -> [ObjectState] { objects.map(\.objectState) }

    /// The plain values of all rows that are left.
    ///
    /// - Parameter rows: The rows.
    /// - Returns: The values, or `nil` when there is more to them than their rows.
    /// - Throws: Why the database could not be read.
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

/// A struct of your own that can be stored; ``Persistable(unique:indexes:parent:named:)`` writes what it needs.
public protocol PersistableValue {
    /// The class of the objects that hold such values.
    associatedtype StoredObject: ReadOnlyConvertible where StoredObject.ReadOnlyType == Self
}
#endif
