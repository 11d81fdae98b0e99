#if Inspector
package import LarderCore

/// An instance that the inspector shows.
package struct InspectedInstance: Sendable {
    /// The identity in paths.
    let id: String
    let instance: any Inspectable
    /// Whether the instance belongs to the program in which the inspector runs.
    let isProgram: Bool
    /// Whether ``LarderCore/Inspectable/observeForInspection(_:)`` tells changes of the records.
    ///
    /// Instances of the other roles have few records, so that counting them each time is cheap.
    var reportsChanges: Bool { ![.outbox, .replication, .dataSource].contains(instance.inspectionRole) }
    private let counted = CountedTables()

    /// Returns numbered instances.
    package static func numbered(_ instances: [any Inspectable], isProgram: Bool) -> [InspectedInstance] {
        instances.enumerated().map {
            InspectedInstance(id: String($0.offset + 1), instance: $0.element, isProgram: isProgram)
        }
    }

    /// Returns the table with a name, or the only table if the name is `nil`.
    ///
    /// - Throws: ``Refusal`` if there is no such table.
    func table(_ name: String?) throws -> InspectionTable {
        if let name, let table = try instance.inspectionTable(named: name) { return table }
        let tables = try countedTables()
        if let name {
            throw Refusal.notFound("The instance has no table \(name.debugDescription). \(Self.choice(of: tables))")
        }
        guard tables.count == 1 else {
            throw tables.isEmpty
                ? Refusal.notFound("The instance has no tables. Read its facts and reports instead.")
                : Refusal.badRequest("The parameter \"table\" is missing. \(Self.choice(of: tables))")
        }
        return tables[0]
    }

    /// Returns all tables with their counts, which may be some seconds old while nothing follows the changes of the instance.
    func countedTables() throws -> [InspectionTable] {
        try reportsChanges ? counted.tables(of: instance) : instance.inspectionTables()
    }

    /// Notes that records have changed, so that they are counted again.
    func noteChange() { counted.forget() }

    /// Returns what precedes each key in the store behind a view.
    func keyPrefix() throws -> String {
        // Only a store is a view, and it has one table.
        try instance.inspectionRole == .store ? countedTables().first?.keyPrefix ?? "" : ""
    }

    private static func choice(of tables: [InspectionTable]) -> String {
        tables.isEmpty
            ? "Choose another instance."
            : "Use \(tables.prefix(20).map(\.name.debugDescription).joined(separator: ", "))."
    }
}

extension JSONText {
    /// Writes the identity, the name, the kind and the role of an instance.
    mutating func identity(of inspected: InspectedInstance) {
        member("id", inspected.id)
        member("name", inspected.instance.inspectionName)
        member("kind", inspected.instance.inspectionKind)
        member("role", inspected.instance.inspectionRole.rawValue)
        member("isProgram", inspected.isProgram)
        member("reportsChanges", inspected.reportsChanges)
    }
}
#endif
