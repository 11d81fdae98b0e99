/// A type whose content the `larder` command and the inspector can display.
///
/// Stores and object models conform to this protocol. A custom type provides a name, a kind, facts and rows.
public protocol Inspectable: Sendable {
    /// A display name that distinguishes this instance from others, such as the path of its file.
    var inspectionName: String { get }
    /// A short name for the kind of store or model, such as "property list" or "memory".
    var inspectionKind: String { get }

    /// Returns facts about the store or model as a whole, in display order.
    ///
    /// - Returns: Name-value pairs, such as ("entries", "12").
    /// - Throws: An error if the content cannot be read.
    func inspectionFacts() throws -> [InspectionFact]

    /// Returns up to `limit` rows whose keys begin with `prefix`, in a stable order.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the keys to list, compared bytewise.
    ///   - limit: The maximum number of rows.
    /// - Returns: The rows to display.
    /// - Throws: An error if the content cannot be read.
    func inspectionRows(prefix: String, limit: Int) throws -> [InspectionRow]
}

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

extension KeyValueStore {
    /// Returns the number of entries and the limitations that the store declares.
    public func inspectionFacts() throws -> [InspectionFact] {
        try [InspectionFact("entries", String(count()))]
            + capabilities.limitations.map { InspectionFact("limitation", $0) }
    }

    /// Returns up to `limit` entries, formatted as rows and sorted by key.
    public func inspectionRows(prefix: String, limit: Int) throws -> [InspectionRow] {
        try entries(prefix: prefix).prefix(max(0, limit)).map {
            InspectionRow(key: $0.key, kind: $0.value.kind.rawValue, value: $0.value.description)
        }
    }
}
