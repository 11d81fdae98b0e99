/// A validator that decides whether values may still be used.
public protocol ObjectValidation<T>: Sendable {
    /// The type of the values to validate.
    associatedtype T

    /// Returns whether a value may still be used.
    ///
    /// - Parameter object: The value to check.
    /// - Returns: `true` if the value may be used.
    func isObjectValid(_ object: T) -> Bool

    /// Returns whether a list may still be used.
    ///
    /// - Parameter objects: The list to check.
    /// - Returns: `true` if the list may be used. The default implementation requires that every element may be used, which is always the
    ///   case for an empty list.
    func isListValid(_ objects: [T]) -> Bool
}

extension ObjectValidation {
    /// Returns whether every element of a list may still be used.
    public func isListValid(_ objects: [T]) -> Bool { objects.allSatisfy { isObjectValid($0) } }
}

/// A validator that calls a closure.
///
/// Without a closure, all values are valid.
public struct ClosureValidator<T>: ObjectValidation {
    private let isValid: @Sendable (T) -> Bool

    /// Creates a validator that calls a closure.
    ///
    /// - Parameter isValid: A closure that returns whether a value may be used. It runs once for each value.
    public init(_ isValid: @escaping @Sendable (T) -> Bool = { _ in true }) { self.isValid = isValid }

    /// Returns the result of calling the closure with the value.
    public func isObjectValid(_ object: T) -> Bool { isValid(object) }
}
