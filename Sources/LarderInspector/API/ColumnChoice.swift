#if Inspector
import LarderCore

/// The columns and relationships of a table that a file contains.
struct ColumnChoice: Sendable {
    /// The indexes of the columns, in the order of the file.
    let indexes: [Int]
    /// The names of the relationships, or `nil` for all.
    private let relationships: Set<String>?

    /// The choice of everything in a table.
    init(allOf table: InspectionTable) {
        indexes = Array(table.columns.indices)
        relationships = nil
    }

    fileprivate init(indexes: [Int], relationships: Set<String>) {
        self.indexes = indexes
        self.relationships = relationships
    }

    /// Returns the indexes of the chosen columns of which a record has a value.
    func indexes(of record: InspectionRecord) -> [Int] { indexes.filter(record.values.indices.contains) }

    /// Returns whether the relationship with a name is chosen.
    func contains(_ relationship: String) -> Bool { relationships?.contains(relationship) ?? true }
}

extension RequestTarget {
    /// Returns the columns and relationships that the parameter "columns" names, or all of a table.
    ///
    /// - Throws: ``Refusal`` if the table has no such column or relationship, or if one is repeated.
    func columnChoice(in table: InspectionTable) throws -> ColumnChoice {
        guard let list = text("columns"), !list.isEmpty else { return ColumnChoice(allOf: table) }
        var indexes: [Int] = []
        var relationships: Set<String> = []
        for name in list.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            if let index = table.columns.firstIndex(where: { $0.name == name }), !indexes.contains(index) {
                indexes.append(index)
            } else if table.relationships.contains(where: { $0.name == name }) {
                guard relationships.insert(name).inserted else { throw Self.refusal(of: name) }
            } else {
                throw Self.refusal(of: name)
            }
        }
        return ColumnChoice(indexes: indexes, relationships: relationships)
    }

    private static func refusal(of name: String) -> Refusal {
        Refusal.badRequest(
            "The parameter \"columns\" repeats \(name.debugDescription), or the table has no such column or relationship. Separate names by commas, each once."
        )
    }
}
#endif
