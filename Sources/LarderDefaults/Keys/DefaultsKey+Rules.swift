public import LarderCore

/// The former names, the validation and the version of a key.
@usableFromInline
struct DefaultsKeyRules<Value>: Sendable {
    private final class Box: Sendable {
        let parts: DefaultsKeyRuleParts<Value>
        init(_ parts: DefaultsKeyRuleParts<Value>) { self.parts = parts }
    }

    private var box = Box(DefaultsKeyRuleParts())

    init() {}

    private var parts: DefaultsKeyRuleParts<Value> {
        get { box.parts }
        set { box = Box(newValue) }
    }

    var formerNames: [String] {
        get { parts.formerNames }
        set { parts.formerNames = newValue }
    }
    var validation: DefaultsValidation<Value>? {
        get { parts.validation }
        set { parts.validation = newValue }
    }
    var version: Int {
        get { parts.version }
        set { parts.version = newValue }
    }
    var migration: (@Sendable (StoredValue, Int) throws -> Value)? {
        get { parts.migration }
        set { parts.migration = newValue }
    }
    var versionKey: StoreKey? {
        get { parts.versionKey }
        set { parts.versionKey = newValue }
    }
}

private struct DefaultsKeyRuleParts<Value>: Sendable {
    var formerNames: [String] = []
    var validation: DefaultsValidation<Value>?
    var version = 0
    var migration: (@Sendable (StoredValue, Int) throws -> Value)?
    /// The reserved key that holds the version of the stored value, or `nil` if the key has no version.
    var versionKey: StoreKey?
}

extension DefaultsKey {
    /// Creates a key with a default value, and with an optional former name and validation.
    ///
    /// - Parameters:
    ///   - key: The name under which the value is stored.
    ///   - formerName: A name to read if nothing is stored under `key`. Writing or removing the key also removes the value under this name.
    ///   - defaultValue: The value to return if nothing is stored.
    ///   - validation: A validation that checks or replaces values on each read and write.
    public init(
        _ key: String,
        was formerName: String? = nil,
        defaultValue: ValueType.T,
        validation: DefaultsValidation<ValueType.T>? = nil
    ) {
        var rules = DefaultsKeyRules<ValueType.T>()
        rules.formerNames = formerName.map { [$0] } ?? []
        rules.validation = validation
        self.init(name: key, source: .value(defaultValue), rules: rules)
    }

    /// Creates a key whose type is inferred from its default value, with an optional former name and validation.
    ///
    /// - Parameters:
    ///   - key: The name under which the value is stored.
    ///   - formerName: A name to read if nothing is stored under `key`. Writing or removing the key also removes the value under this name.
    ///   - defaultValue: The value to return if nothing is stored.
    ///   - validation: A validation that checks or replaces values on each read and write.
    public init(
        _ key: String,
        was formerName: String? = nil,
        defaultValue: ValueType,
        validation: DefaultsValidation<ValueType>? = nil
    ) where ValueType.T == ValueType {
        var rules = DefaultsKeyRules<ValueType.T>()
        rules.formerNames = formerName.map { [$0] } ?? []
        rules.validation = validation
        self.init(name: key, source: .value(defaultValue), rules: rules)
    }

    /// Returns a copy of this key with former names.
    ///
    /// If nothing is stored under the key's name, the first former name that has a value is read. Writing or removing the key removes the
    /// values under its former names in the same commit.
    ///
    /// - Parameter formerNames: The former names, in the order in which they are read.
    /// - Returns: A copy of this key to declare in a key store.
    public func was(_ formerNames: String...) -> DefaultsKey {
        var rules = rules ?? DefaultsKeyRules()
        rules.formerNames += formerNames
        return with(rules)
    }

    /// Returns a copy of this key with a validation.
    ///
    /// - Parameter validation: A validation that checks or replaces values on each read and write.
    /// - Returns: A copy of this key to declare in a key store.
    public func validated(_ validation: DefaultsValidation<ValueType.T>) -> DefaultsKey {
        var rules = rules ?? DefaultsKeyRules()
        rules.validation = validation
        return with(rules)
    }

    /// Returns a copy of this key with a version for the stored form of its value, and a migration from earlier versions.
    ///
    /// The version is stored with the value, in the same commit. A value without a version has version 0. A value with a lower version than
    /// the key's is converted by `migration` on each read, but the result is not written back. If the stored value has a higher version,
    /// reads return the default, and **the value can't be overwritten**.
    ///
    /// - Parameters:
    ///   - version: The version of the stored form that this program writes, which must be at least 1.
    ///   - migration: A closure that returns the key's value for a stored value and its version. The closure may run on every read until
    ///     the key is written, so it should have no side effects. If the closure throws an error, the stored value is treated as
    ///     undecodable.
    /// - Returns: A copy of this key to declare in a key store.
    public func version(
        _ version: Int,
        migration: @escaping @Sendable (StoredValue, Int) throws -> ValueType.T
    ) -> DefaultsKey {
        var rules = rules ?? DefaultsKeyRules()
        rules.version = version
        rules.migration = migration
        rules.versionKey = StoreKey(reserved: ".defaults.version." + _key)
        return with(rules)
    }
}

extension StoredValue {
    /// Decodes this stored value as a typed key would, for use in a migration.
    ///
    /// A lossy conversion, such as 2.7 read as an `Int`, is reported on `IssueChannel.shared`.
    ///
    /// - Parameter type: The type with which the value was stored.
    /// - Returns: The decoded value.
    /// - Throws: `CoreError.NotFound` if a stored value of this type can't be converted to `type`, or another error if decoding fails.
    public func decoded<Value: DefaultsSerializable>(as type: Value.Type) throws -> Value.T {
        let conversion = try conversion(to: type)
        if conversion.isLossy { IssueChannel.shared.report(.lossy(self, as: Value.T.self, key: nil)) }
        return conversion.value
    }

    /// Decodes this stored value like ``decoded(as:)``, without reporting a lossy conversion.
    func conversion<Value: DefaultsSerializable>(to type: Value.Type) throws -> Conversion<Value.T> {
        try type.bridge.exactCodec.decode(self)
    }
}
