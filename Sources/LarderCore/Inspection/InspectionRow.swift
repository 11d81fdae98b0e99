/// A name-value pair that describes an inspected store or model.
public struct InspectionFact: Sendable, Hashable {
    /// The name of the fact, such as "entries".
    public let name: String
    /// The value of the fact, formatted for display.
    public let value: String

    /// Creates a fact with a name and a value for display.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// An entry of an inspected store or an object of an inspected model, formatted for display.
public struct InspectionRow: Sendable, Hashable {
    /// The key of the entry or object that the row shows.
    public let key: String
    /// The kind of the value, such as "string".
    public let kind: String
    /// The value, formatted for display.
    public let value: String

    /// Creates a row with the given key, kind and value.
    public init(key: String, kind: String, value: String) {
        self.key = key
        self.kind = kind
        self.value = value
    }
}
