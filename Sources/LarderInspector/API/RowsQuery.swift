#if Inspector
import LarderCore

extension RequestTarget {
    /// Returns the query for the records of a table that the parameters describe.
    ///
    /// - Throws: ``Refusal`` if a parameter is wrong.
    func query(of table: InspectionTable) throws -> InspectionQuery {
        var query = InspectionQuery(table: table.name)
        query.prefix = text("prefix") ?? ""
        query.text = text("text") ?? ""
        guard query.text.unicodeScalars.count <= Self.longestText else {
            throw Refusal.badRequest(
                "The parameter \"text\" is longer than \(Self.longestText) characters. Search for a shorter text."
            )
        }
        query.filter = text("filter") ?? ""
        query.order = try order(in: table)
        query.after = text("after")
        query.limit = try integer("limit", in: 1...1_000, or: 100)
        query.relation = try relation()
        // A table shows the beginnings of its values, so their rest is not read.
        query.longestValue = Self.longestValue
        query.bytes = Self.bytesInPage
        return query
    }

    /// The maximum number of characters (Unicode scalars) of a searched text.
    private static let longestText = 1_000
    /// The number of bytes of a value that is enough for ``ValueForm/cell``.
    private static let longestValue = 4_096
    /// The number of bytes of values after which a page ends.
    static let bytesInPage = 4 << 20

    /// Returns the names of the columns whose masked values are asked for.
    ///
    /// - Throws: ``Refusal`` if the table has no such column.
    func revealed(in table: InspectionTable) throws -> Set<String> {
        guard let list = text("reveal"), !list.isEmpty else { return [] }
        return try Set(
            list.split(separator: ",", omittingEmptySubsequences: false).map { name in
                guard table.columns.contains(where: { $0.name == name }) else {
                    throw Refusal.badRequest(
                        "The table has no column \(String(name).debugDescription) to reveal. Separate the names of columns by commas."
                    )
                }
                return String(name)
            }
        )
    }

    private func order(in table: InspectionTable) throws -> [InspectionQuery.Order] {
        guard let list = text("order"), !list.isEmpty else { return [] }
        return try list.split(separator: ",", omittingEmptySubsequences: false).map { part in
            let isDescending = part.hasPrefix("-")
            let name = String(isDescending ? part.dropFirst() : part)
            guard let column = table.columns.first(where: { $0.name == name }) else {
                throw Refusal.badRequest(
                    "The table has no column \(name.debugDescription) to sort by. Separate the names of columns by commas."
                )
            }
            guard column.isSortable else {
                throw Refusal.badRequest(
                    "The table can't be sorted by \(name.debugDescription). Choose another column."
                )
            }
            return InspectionQuery.Order(column.name, isAscending: !isDescending)
        }
    }

    private func relation() throws -> InspectionQuery.Relation? {
        let given = ["of", "ofTable", "relationship"].filter { text($0) != nil }
        guard !given.isEmpty else { return nil }
        guard let key = text("of"), let table = text("ofTable"), let relationship = text("relationship") else {
            throw Refusal.badRequest(
                "The parameters \"of\", \"ofTable\" and \"relationship\" belong together. Add the missing ones."
            )
        }
        return InspectionQuery.Relation(of: key, in: table, relationship)
    }
}
#endif
