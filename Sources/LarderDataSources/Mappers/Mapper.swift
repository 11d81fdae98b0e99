/// Turns a value of one type into a value of another.
public protocol Mapper<From, To>: Sendable {
    /// What goes in.
    associatedtype From
    /// What comes out.
    associatedtype To

    /// Maps one value.
    ///
    /// - Parameter from: The value.
    /// - Returns: What it becomes.
    /// - Throws: Any error; the data source's call then fails with it, and nothing was changed.
    func map(_ from: From) throws -> To
}

extension Mapper {
    /// Maps each element of a list.
    ///
    /// - Parameter values: The list.
    /// - Returns: As many elements, in the same order.
    /// - Throws: The error of the first element that does not map.
    public func map(_ values: [From]) throws -> [To] { try values.map { try map($0) } }

    /// Maps each value of a dictionary.
    ///
    /// - Parameter values: The dictionary.
    /// - Returns: The same keys.
    /// - Throws: The error of a value that does not map.
    public func map<Key>(_ values: [Key: From]) throws -> [Key: To] { try values.mapValues { try map($0) } }

    /// Maps each element of a set.
    ///
    /// - Parameter values: The set.
    /// - Returns: What they become; fewer, when two become equal.
    /// - Throws: The error of an element that does not map.
    public func map(_ values: Set<From>) throws -> Set<To> where From: Hashable, To: Hashable {
        Set(try values.map { try map($0) })
    }

    /// A mapper that maps with this one, then with another.
    ///
    /// - Parameter next: Maps what this one returns.
    /// - Returns: Both as one.
    public func followed<Last>(by next: any Mapper<To, Last>) -> ComposedMapper<From, To, Last> {
        ComposedMapper(self, next)
    }
}
