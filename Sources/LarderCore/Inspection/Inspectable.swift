/// A store, model or data source that inspection tools can display.
///
/// The first four requirements are enough. A type adds what it can tell: its tables with typed values, changes,
/// numbers that change, and actions. Tools that show it, such as the program `larder`, know nothing else about it.
///
/// All calls are thread-safe. They may block on disk I/O, so asynchronous code makes them on a thread of its own. No call changes what
/// is stored, except ``perform(_:writingTo:progress:)``.
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

    /// What this instance keeps, which decides how a tool displays it. The default is ``InspectionRole/store``.
    var inspectionRole: InspectionRole { get }

    /// The channel whose issues a tool displays together with this instance. The default is `nil`.
    var inspectionIssues: IssueChannel? { get }

    /// Returns the tables of this instance with their columns, relationships and indexes, in display order.
    ///
    /// A store has one table, of its entries. A database of objects has a table for each entity.
    ///
    /// - Returns: The tables. The default is none.
    /// - Throws: An error if the content cannot be read.
    func inspectionTables() throws -> [InspectionTable]

    /// Returns one table with its columns, relationships and indexes, but without counts and sizes, or `nil` if there is none.
    ///
    /// Tools call this method for each page, so it must be cheap however large the table is. The default implementation searches
    /// ``inspectionTables()``.
    ///
    /// - Parameter name: The name of the table.
    /// - Returns: The table, or `nil`.
    /// - Throws: An error if the content cannot be read.
    func inspectionTable(named name: String) throws -> InspectionTable?

    /// Returns the next records of a table that a query matches.
    ///
    /// - Parameter query: The table, the condition, the order, and the place where the last page ended.
    /// - Returns: A page of records, which may be empty although more follow; see ``InspectionPage/next``.
    /// - Throws: ``InspectionQueryError`` if the query is wrong, or another error if the content cannot be read.
    func inspectionPage(_ query: InspectionQuery) throws -> InspectionPage

    /// Returns one record with all of its values uncut, or `nil` if the table has no record with this key.
    ///
    /// - Parameters:
    ///   - key: The key of the record.
    ///   - table: The name of the table.
    /// - Returns: The record, or `nil`.
    /// - Throws: An error if the content cannot be read.
    func inspectionRecord(_ key: String, in table: String) throws -> InspectionRecord?

    /// Returns how a query is executed, or `nil` if this instance executes queries without a plan.
    ///
    /// - Parameter query: The query, as for ``inspectionPage(_:)``.
    /// - Returns: The plan. The default is `nil`.
    /// - Throws: ``InspectionQueryError`` if the query is wrong, or another error if the content cannot be read.
    func inspectionPlan(_ query: InspectionQuery) throws -> InspectionPlan?

    /// Calls a closure with changes that are made from now on, until the observation is canceled or released.
    ///
    /// - Parameter receive: A closure that is called with one event for each commit or save, in order, on a thread of this instance. It must
    ///   return quickly.
    /// - Returns: The observation, or `nil` (the default) if this instance reports no changes.
    /// - Throws: An error if the content cannot be observed.
    func observeForInspection(_ receive: @escaping @Sendable (InspectionEvent) -> Void) throws -> StoreObservation?

    /// Returns numbers that change while programs use this instance.
    ///
    /// - Returns: The numbers, in display order. The default is none.
    /// - Throws: An error if they cannot be read.
    func inspectionStatistics() throws -> [InspectionStatistic]

    /// Returns lists beside the tables, such as slow queries or past migrations.
    ///
    /// - Returns: The lists, in display order. The default is none.
    /// - Throws: An error if they cannot be read.
    func inspectionReports() throws -> [InspectionReport]

    /// The actions that ``perform(_:writingTo:progress:)`` carries out, in display order. The default is none.
    var inspectionActions: [InspectionAction] { get }

    /// Carries out an action, and blocks until it ends.
    ///
    /// - Parameters:
    ///   - action: One of ``inspectionActions``.
    ///   - file: The path of a file that does not exist yet, for an action that creates one, else `nil`.
    ///   - progress: A closure that is called with the progress, and throws to cancel the action.
    /// - Returns: The facts to display when the action has ended, such as the problems that were found.
    /// - Throws: What `progress` throws, or another error if the action fails. Nothing that is stored is lost then.
    @available(*, noasync, message: "This call blocks until the action ends. Call it on a thread of its own.")
    func perform(
        _ action: InspectionAction,
        writingTo file: String?,
        progress: (StoreProgress) throws -> Void
    ) throws -> [InspectionFact]
}

extension Inspectable {
    /// What this instance keeps, which is a store unless the type declares something else.
    public var inspectionRole: InspectionRole { .store }
    /// No channel of issues.
    public var inspectionIssues: IssueChannel? { nil }
    /// No tables.
    public func inspectionTables() throws -> [InspectionTable] { [] }
    /// The table of that name in ``inspectionTables()``.
    public func inspectionTable(named name: String) throws -> InspectionTable? {
        try inspectionTables().first { $0.name.hasSameBytes(as: name) }
    }
    /// An empty page.
    public func inspectionPage(_ query: InspectionQuery) throws -> InspectionPage { InspectionPage(records: []) }
    /// No record.
    public func inspectionRecord(_ key: String, in table: String) throws -> InspectionRecord? { nil }
    /// No plan.
    public func inspectionPlan(_ query: InspectionQuery) throws -> InspectionPlan? { nil }
    /// No changes.
    public func observeForInspection(
        _ receive: @escaping @Sendable (InspectionEvent) -> Void
    ) throws -> StoreObservation? { nil }
    /// No numbers.
    public func inspectionStatistics() throws -> [InspectionStatistic] { [] }
    /// No lists.
    public func inspectionReports() throws -> [InspectionReport] { [] }
    /// No actions.
    public var inspectionActions: [InspectionAction] { [] }
    /// Returns no facts, because this instance declares no actions.
    @available(*, noasync, message: "This call blocks until the action ends. Call it on a thread of its own.")
    public func perform(
        _ action: InspectionAction,
        writingTo file: String?,
        progress: (StoreProgress) throws -> Void
    ) throws -> [InspectionFact] { [] }
}
