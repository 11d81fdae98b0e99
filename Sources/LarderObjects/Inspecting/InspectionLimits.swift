#if Objects
/// The times after which the queries of an inspection are interrupted.
///
/// SQLite may look at any number of rows before it returns one, so that a look at the clock between rows is not enough.
package struct InspectionLimits: Sendable {
    /// The time that all queries for one answer may take.
    package var answer = Duration.seconds(10)
    /// The time after which sorting without an index is given up.
    package var sorting = Duration.seconds(5)
    /// The time after which a page ends although no further object was found.
    package var finding = Duration.seconds(2)
    /// The time for a number that is left out if it is not known by then.
    package var counting = Duration.milliseconds(50)
    /// The time for the numbers of objects of all entities, and for the sizes of all tables.
    package var overview = Duration.milliseconds(250)

    /// The number of pages of a file up to which SQLite counts the rows of a whole table at once.
    ///
    /// That is fast but can't be interrupted, because SQLite reads the pages without looking at the rows.
    package var pagesForCounting: Int64 = 65_536

    package init() {}
}
#endif
