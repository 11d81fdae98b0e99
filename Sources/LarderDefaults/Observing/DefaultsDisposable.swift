/// A running observation; it ends when it is disposed of, or when the last reference to it goes.
public protocol DefaultsDisposable: AnyObject, Sendable {
    /// Ends the observation.
    ///
    /// Harmless when it has ended. No call of the handler begins afterwards; one that has begun may still be running on another
    /// thread.
    func dispose()
}

extension DefaultsDisposable {
    /// Lets the observation live as long as an object, whether or not anybody keeps it.
    ///
    /// ```swift
    /// Defaults.observe(\.theme) { ... }.tieToLifetime(of: view)
    /// ```
    ///
    /// When the object is gone the handler is not called again. What the observation holds is let go of at the next change that
    /// would have been told, or at the next tie.
    ///
    /// - Parameter owner: The object. It is not kept.
    /// - Returns: The observation.
    @discardableResult
    public func tieToLifetime(of owner: AnyObject) -> Self {
        (self as? DefaultsObservation)?.tie(to: owner)
        return self
    }

    /// Undoes ``tieToLifetime(of:)``: the observation lives as long as somebody keeps it, as at first.
    public func removeLifetimeTie() { (self as? DefaultsObservation)?.untie() }
}
