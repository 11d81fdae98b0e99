public import LarderCore

/// What a key asks for beyond a name and a default.
///
/// Boxed, so that keys without any are small.
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
    /// Where the version of the stored value is kept; `nil` for a key without versions.
    var versionKey: StoreKey?
}

extension DefaultsKey {
    /// A key with a default value and rules of its own.
    ///
    /// - Parameters:
    ///   - key: The name under which the value is stored.
    ///   - formerName: Read while nothing is stored under `key`; removed when the key is written or removed.
    ///   - defaultValue: What is read while nothing is stored.
    ///   - validation: What becomes of values on their way in, and of stored ones on their way out.
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

    /// A key whose type is that of its default, with rules of its own.
    ///
    /// - Parameters:
    ///   - key: The name under which the value is stored.
    ///   - formerName: Read while nothing is stored under `key`; removed when the key is written or removed.
    ///   - defaultValue: What is read while nothing is stored.
    ///   - validation: What becomes of values on their way in, and of stored ones on their way out.
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

    /// The same key, which also finds what was stored under earlier names.
    ///
    /// While nothing is stored under the key's name, the first of these that has a value is read. Writing or removing the key
    /// removes them, in the same commit.
    ///
    /// - Parameter formerNames: Searched in this order.
    /// - Returns: The key to declare.
    public func was(_ formerNames: String...) -> DefaultsKey {
        var rules = rules ?? DefaultsKeyRules()
        rules.formerNames += formerNames
        return with(rules)
    }

    /// The same key with a validation.
    ///
    /// - Parameter validation: What becomes of values on their way in, and of stored ones on their way out.
    /// - Returns: The key to declare.
    public func validated(_ validation: DefaultsValidation<ValueType.T>) -> DefaultsKey {
        var rules = rules ?? DefaultsKeyRules()
        rules.validation = validation
        return with(rules)
    }

    /// The same key with a version for the form of its value, and the way from earlier forms.
    ///
    /// The version is kept beside the value and written in the same commit. A value that was stored with a lower version, or
    /// before the key had one (version 0), is read through `migration`; reading does not write it back. One that was stored with
    /// a higher version is not read: the default stands in for it, and **it is not overwritten** either.
    ///
    /// - Parameters:
    ///   - version: The version of the form that this program writes, 1 or more.
    ///   - migration: Makes a value of what is stored and the version it was stored with. It may run at every read until the
    ///     key is written, so it should have no other effects. When it throws, the value is undecodable.
    /// - Returns: The key to declare.
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
    /// Reads a stored value as what a typed key of another type would, for migrations.
    ///
    /// What is lost on the way, such as the fraction of 2.7 read as an `Int`, is reported on `IssueChannel.shared`.
    ///
    /// - Parameter type: The type that the value was stored as.
    /// - Returns: The value.
    /// - Throws: `CoreError.NotFound` when it is of a kind that does not convert, any other error when it does not decode.
    public func decoded<Value: DefaultsSerializable>(as type: Value.Type) throws -> Value.T {
        let conversion = try conversion(to: type)
        if conversion.isLossy { IssueChannel.shared.report(.lossy(self, as: Value.T.self, key: nil)) }
        return conversion.value
    }

    /// ``decoded(as:)``, which reports nothing.
    func conversion<Value: DefaultsSerializable>(to type: Value.Type) throws -> Conversion<Value.T> {
        try type.bridge.exactCodec.decode(self)
    }
}
