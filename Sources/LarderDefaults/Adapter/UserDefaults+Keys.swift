public import Foundation

extension UserDefaults {
    /// An adapter that stores its values in this `UserDefaults` object.
    private var adapter: DefaultsAdapter<DefaultsKeys> { DefaultsAdapter(defaults: self, keyStore: DefaultsKeys()) }

    /// The value of a key, or the key's default if nothing is stored or the stored value can't be read.
    ///
    /// Behaves like the subscripts of ``DefaultsAdapter``, which are faster for reading many values.
    public subscript<Value: DefaultsSerializable>(key key: DefaultsKey<Value>) -> Value.T {
        get { adapter[key: key] }
        set { adapter[key: key] = newValue }
        _modify { yield &adapter[key: key] }
    }

    /// The value of a key, or the key's default if nothing is stored or the stored value can't be read.
    ///
    /// Behaves like the subscripts of ``DefaultsAdapter``, which are faster for reading many values.
    public subscript<Value: DefaultsSerializable>(_ key: DefaultsKey<Value>) -> Value.T {
        get { adapter[key: key] }
        set { adapter[key: key] = newValue }
        _modify { yield &adapter[key: key] }
    }

    /// Returns whether a key has a value, even if the value can't be decoded.
    ///
    /// - Parameter key: The key to look up.
    /// - Returns: `true` if there is a value. If the store can't be read, the result is `false` and the error is reported as an issue.
    public func hasKey<Value>(_ key: DefaultsKey<Value>) -> Bool { adapter.hasKey(key) }

    /// Removes the stored value of a key, so that reads return the key's default.
    ///
    /// Has no effect if nothing is stored. If the store can't be written, the value is unchanged and an issue is reported.
    ///
    /// - Parameter key: The key whose value to remove.
    public func remove<Value>(_ key: DefaultsKey<Value>) { adapter.remove(key) }

    /// Calls a handler when the value of a key changes.
    ///
    /// Changes that other code makes through Foundation's own `UserDefaults` are not observed. For the order and the thread of the calls,
    /// see ``DefaultsAdapter/observe(_:options:handler:)-(DefaultsKey<Value>,_,_)``.
    ///
    /// - Parameters:
    ///   - key: The key to observe, whose name may contain dots.
    ///   - options: The updates and values that the handler receives.
    ///   - handler: The closure to call with each update.
    /// - Returns: The observation, which ends when the returned object is released.
    public func observe<Value: DefaultsSerializable & SendableMetatype>(
        _ key: DefaultsKey<Value>,
        options: DefaultsObservingOptions = [.old, .new],
        handler: @escaping @Sendable (DefaultsUpdate<Value.T>) -> Void
    ) -> any DefaultsDisposable where Value.T: Sendable {
        adapter.observe(key, options: options, handler: handler)
    }
}
