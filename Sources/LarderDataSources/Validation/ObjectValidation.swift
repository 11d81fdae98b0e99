/// Says whether a value may still be used.
public protocol ObjectValidation<T>: Sendable {
    /// What it checks.
    associatedtype T

    /// Whether a value may still be used.
    ///
    /// - Parameter object: The value.
    /// - Returns: `true` when it may.
    func isObjectValid(_ object: T) -> Bool

    /// Whether a list may still be used.
    ///
    /// - Parameter objects: The list.
    /// - Returns: `true` when every element may, so also for an empty list, unless the validator says otherwise.
    func isListValid(_ objects: [T]) -> Bool
}

extension ObjectValidation {
    /// Whether every element is valid.
    public func isListValid(_ objects: [T]) -> Bool { objects.allSatisfy { isObjectValid($0) } }
}

/// A validator that is a closure; without one everything is valid.
public struct ClosureValidator<T>: ObjectValidation {
    private let isValid: @Sendable (T) -> Bool

    /// A validator that asks a closure.
    ///
    /// - Parameter isValid: Called once for each value.
    public init(_ isValid: @escaping @Sendable (T) -> Bool = { _ in true }) { self.isValid = isValid }

    /// What the closure says.
    public func isObjectValid(_ object: T) -> Bool { isValid(object) }
}
