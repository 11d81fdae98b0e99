public import Foundation

extension UserDefaults {
    /// The adapter's way with these user defaults, for keys that stand by themselves.
    private var adapter: DefaultsAdapter<DefaultsKeys> { DefaultsAdapter(defaults: self, keyStore: DefaultsKeys()) }

    /// The value of a key; its default while nothing is stored or what is stored can't be read.
    ///
    /// As the subscripts of ``DefaultsAdapter``, which is faster where many values are read.
    public subscript<Value: DefaultsSerializable>(key key: DefaultsKey<Value>) -> Value.T {
        get { adapter[key: key] }
        set { adapter[key: key] = newValue }
        _modify { yield &adapter[key: key] }
    }

    /// The value of a key; its default while nothing is stored or what is stored can't be read.
    ///
    /// As the subscripts of ``DefaultsAdapter``, which is faster where many values are read.
    public subscript<Value: DefaultsSerializable>(_ key: DefaultsKey<Value>) -> Value.T {
        get { adapter[key: key] }
        set { adapter[key: key] = newValue }
        _modify { yield &adapter[key: key] }
    }

    /// Whether there is a value under a key, readable or not.
    ///
    /// - Parameter key: The key.
    /// - Returns: `false` when there is none, and when the store can't be read, which is reported.
    public func hasKey<Value>(_ key: DefaultsKey<Value>) -> Bool { adapter.hasKey(key) }

    /// Removes the value of a key, which then reads as its default.
    ///
    /// A missing one is no error. When the value can't be removed it stays, which is reported.
    ///
    /// - Parameter key: The key.
    public func remove<Value>(_ key: DefaultsKey<Value>) { adapter.remove(key) }

    /// Calls a handler whenever the value of a key changes.
    ///
    /// For order and thread see ``DefaultsAdapter/observe(_:options:handler:)-(DefaultsKey<Value>,_,_)``. Of what other code sets
    /// on Foundation's own user defaults nothing is told.
    ///
    /// - Parameters:
    ///   - key: The key: any name, dots included.
    ///   - options: What to tell.
    ///   - handler: Called with each update.
    /// - Returns: The observation. Keep it: when it is released, observing ends.
    public func observe<Value: DefaultsSerializable & SendableMetatype>(
        _ key: DefaultsKey<Value>,
        options: DefaultsObservingOptions = [.old, .new],
        handler: @escaping @Sendable (DefaultsUpdate<Value.T>) -> Void
    ) -> any DefaultsDisposable where Value.T: Sendable {
        adapter.observe(key, options: options, handler: handler)
    }
}
