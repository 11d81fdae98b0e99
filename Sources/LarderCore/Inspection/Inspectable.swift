/// Something `larder` and the inspector can show without knowing what it is.
///
/// Stores and object models conform; a type of your own needs a name, a kind, some facts and a listing.
public protocol Inspectable: Sendable {
    /// What it is called where several are shown, such as its file's path.
    var inspectionName: String { get }
    /// What it is, in a word or two: "property list", "memory".
    var inspectionKind: String { get }

    /// Facts about the whole, in the order they should be shown.
    ///
    /// - Returns: Name and value pairs, such as ("entries", "12").
    /// - Throws: When it cannot be read.
    func inspectionFacts() throws -> [InspectionFact]

    /// Its rows, in a stable order.
    ///
    /// - Parameters:
    ///   - prefix: Only rows whose key begins with exactly these bytes.
    ///   - limit: At most this many.
    /// - Returns: Rows for display.
    /// - Throws: When it cannot be read.
    func inspectionRows(prefix: String, limit: Int) throws -> [InspectionRow]
}

/// One fact about something that is shown.
public struct InspectionFact: Sendable, Hashable {
    /// What the fact is about.
    public let name: String
    /// The fact, for display.
    public let value: String

    /// A fact.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// One row of something that is shown.
public struct InspectionRow: Sendable, Hashable {
    /// The key.
    public let key: String
    /// The kind of value, in a word.
    public let kind: String
    /// The value, for display.
    public let value: String

    /// A row.
    public init(key: String, kind: String, value: String) {
        self.key = key
        self.kind = kind
        self.value = value
    }
}

extension KeyValueStore {
    /// The number of entries, and each limitation the store declares.
    public func inspectionFacts() throws -> [InspectionFact] {
        try [InspectionFact("entries", String(count()))]
            + capabilities.limitations.map { InspectionFact("limitation", $0) }
    }

    /// The entries, as text.
    public func inspectionRows(prefix: String, limit: Int) throws -> [InspectionRow] {
        try entries(prefix: prefix).prefix(max(0, limit)).map {
            InspectionRow(key: $0.key, kind: $0.value.kind.rawValue, value: $0.value.description)
        }
    }
}
