/// A type that converts values of one type to another.
public protocol Mapper<From, To>: Sendable {
    /// The type of the values to map.
    associatedtype From
    /// The type of the mapped values.
    associatedtype To

    /// Converts a value to the type `To`.
    ///
    /// - Parameter from: The value to map.
    /// - Returns: The mapped value.
    /// - Throws: An error if the value can't be converted. A data source that uses this mapper fails with this error.
    func map(_ from: From) throws -> To
}

extension Mapper {
    /// Maps each element of an array.
    ///
    /// - Parameter values: The array whose elements are mapped.
    /// - Returns: The mapped elements, in the same order.
    /// - Throws: The error for the first element that can't be mapped.
    public func map(_ values: [From]) throws -> [To] { try values.map { try map($0) } }

    /// Maps each value of a dictionary.
    ///
    /// - Parameter values: The dictionary whose values are mapped.
    /// - Returns: The mapped values, with the same keys.
    /// - Throws: The error for a value that can't be mapped.
    public func map<Key>(_ values: [Key: From]) throws -> [Key: To] { try values.mapValues { try map($0) } }

    /// Maps each element of a set.
    ///
    /// - Parameter values: The set whose elements are mapped.
    /// - Returns: The mapped elements. Elements that become equal are merged.
    /// - Throws: The error for an element that can't be mapped.
    public func map(_ values: Set<From>) throws -> Set<To> where From: Hashable, To: Hashable {
        Set(try values.map { try map($0) })
    }

    /// Returns a mapper that applies this mapper and then another mapper.
    ///
    /// - Parameter next: The mapper to apply to the result of this mapper.
    /// - Returns: A mapper that applies both mappers.
    public func followed<Last>(by next: any Mapper<To, Last>) -> ComposedMapper<From, To, Last> {
        ComposedMapper(self, next)
    }
}
