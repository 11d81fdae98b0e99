#if Objects
/// An object that can be filled from a plain value, and turned into one.
///
/// The value is what the rest of a program works with: it is `Sendable`, and may come from a module that knows nothing of
/// storage.
public protocol ReadOnlyConvertible: Object {
    /// The plain value.
    associatedtype ReadOnlyType

    /// Sets the properties from a value. One that is set to what it was is no change.
    ///
    /// - Parameter value: The value.
    func update(with value: ReadOnlyType)

    /// The plain value of what the properties are now.
    func toReadOnly() -> ReadOnlyType
}
#endif
