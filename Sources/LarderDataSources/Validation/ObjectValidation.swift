/// A validator that decides whether cached values are still valid.
public protocol ObjectValidation<T>: Sendable {
    /// The type of the values to validate.
    associatedtype T

    /// Returns whether a value is still valid.
    ///
    /// - Parameter object: The value to check.
    /// - Returns: `true` if the value is valid.
    func isObjectValid(_ object: T) -> Bool

    /// Returns whether a list is still valid.
    ///
    /// - Parameter objects: The list to check.
    /// - Returns: `true` if the list is valid. The default implementation returns `true` if all elements are valid or the list is empty.
    func isListValid(_ objects: [T]) -> Bool
}

extension ObjectValidation {
    /// Returns whether all elements of a list are valid.
    public func isListValid(_ objects: [T]) -> Bool { objects.allSatisfy { isObjectValid($0) } }
}

/// A validator that calls a closure.
///
/// Without a closure, all values are valid.
public struct ClosureValidator<T>: ObjectValidation {
    private let isValid: @Sendable (T) -> Bool

    /// Creates a validator that calls a closure.
    ///
    /// - Parameter isValid: A closure that returns whether a value is valid. It runs once for each value.
    public init(_ isValid: @escaping @Sendable (T) -> Bool = { _ in true }) { self.isValid = isValid }

    /// Returns the result of the closure for `object`.
    public func isObjectValid(_ object: T) -> Bool { isValid(object) }
}
