/// A running observation; it ends when it is disposed of, or when the last reference to it goes.
public protocol DefaultsDisposable: AnyObject, Sendable {
    /// Ends the observation.
    ///
    /// Harmless when it has ended. No call of the handler begins afterwards; one that has begun may still be running on another
    /// thread.
    func dispose()
}
