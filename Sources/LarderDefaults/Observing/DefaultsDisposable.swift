/// A running observation, which ends when it is disposed of or released.
public protocol DefaultsDisposable: AnyObject, Sendable {
    /// Ends the observation, unless it has already ended.
    ///
    /// After this method returns, no new call to the handler begins, but a call that has already begun may still run on another thread.
    func dispose()
}

extension DefaultsDisposable {
    /// Keeps the observation alive until an object is released, even if no other reference to the observation exists.
    ///
    /// ```swift
    /// Defaults.observe(\.theme) { ... }.tieToLifetime(of: view)
    /// ```
    ///
    /// After the object is released, the handler is not called again. The observation itself is released at the next change that it
    /// would have delivered, or at the next call to this method for any observation.
    ///
    /// - Parameter owner: The object whose release ends the observation. The object is not retained.
    /// - Returns: This observation.
    @discardableResult
    public func tieToLifetime(of owner: AnyObject) -> Self {
        (self as? DefaultsObservation)?.tie(to: owner)
        return self
    }

    /// Undoes ``tieToLifetime(of:)``, so that this observation ends when its last reference is released.
    public func removeLifetimeTie() { (self as? DefaultsObservation)?.untie() }
}
