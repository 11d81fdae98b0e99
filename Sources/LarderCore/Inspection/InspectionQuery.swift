/// What a page of a table contains.
public struct InspectionQuery: Sendable, Hashable {
    /// A column that a query sorts by.
    public struct Order: Sendable, Hashable {
        /// The name of the column.
        public var column: String
        /// Whether the smallest value comes first.
        public var isAscending: Bool

        /// Creates an order.
        public init(_ column: String, isAscending: Bool = true) {
            self.column = column
            self.isAscending = isAscending
        }
    }

    /// The related records of one record, instead of all records of a table.
    public struct Relation: Sendable, Hashable {
        /// The key of the record in the table that has the relationship.
        public var key: String
        /// The name of the table that has the relationship.
        public var table: String
        /// The name of the relationship.
        public var relationship: String

        /// Creates a relation.
        public init(of key: String, in table: String, _ relationship: String) {
            self.key = key
            self.table = table
            self.relationship = relationship
        }
    }

    /// The name of the table.
    public var table: String
    /// The prefix of the keys, compared bytewise.
    ///
    /// The default matches every key.
    public var prefix = ""
    /// A text that the key or a value of a record contains, without regard to the case of letters.
    ///
    /// The default matches every record.
    public var text = ""
    /// A condition in the syntax of key paths, such as `total > 100 && customer.name == "Ada"`.
    ///
    /// The default matches every record.
    public var filter = ""
    /// The order of the records.
    ///
    /// The default is the order of their keys.
    public var order: [Order] = []
    /// The record whose related records are listed, or `nil` for all records of the table.
    public var relation: Relation?
    /// The ``InspectionPage/next`` of the last page, or `nil` for the first page.
    public var after: String?
    /// The maximum number of records.
    public var limit: Int
    /// The time after which a search returns what it has found so far.
    public var patience: Duration = .milliseconds(100)
    /// The number of bytes after which a string, URL or data is cut, or `nil` (the default) for whole values.
    ///
    /// A string is cut before the character (Unicode scalar) that would exceed the number. Arrays and dictionaries are never cut. A cut value
    /// need not be checked for damage as a whole one is. ``InspectionRecord/sizes`` tells which values were cut.
    public var longestValue: Int?
    /// The number of bytes of values after which a page ends, or `nil` (the default) if only ``limit`` ends it.
    ///
    /// A page contains at least one record, however large. Values that are cut count with the bytes that remain. The number is approximate.
    public var bytes: Int?

    /// Creates a query for the records of a table.
    public init(table: String, limit: Int = 100) {
        self.table = table
        self.limit = limit
    }
}

/// A page of the records that a query matches.
public struct InspectionPage: Sendable, Hashable {
    /// The records, in the order of the query.
    public var records: [InspectionRecord]
    /// The place from which the next page continues, or `nil` if this page is the last.
    ///
    /// A page that ends early, because the query's ``InspectionQuery/patience`` was over, may have no records and still a next page. One that
    /// ends because of ``InspectionQuery/bytes`` has fewer records than the limit and a next page.
    public var next: String?
    /// The number of records that match the query, or `nil` if counting them would take long.
    public var total: Int?

    /// Creates a page.
    public init(records: [InspectionRecord], next: String? = nil, total: Int? = nil) {
        self.records = records
        self.next = next
        self.total = total
    }
}

/// A record of an inspected table: an entry or an object.
public struct InspectionRecord: Sendable, Hashable {
    /// The key of the entry or the identity of the object, which is unique in its table.
    public var key: String
    /// A value for each column of the table, `.null` for a missing one.
    public var values: [StoredValue]
    /// The keys of the related records of each relationship to one record.
    public var related: [String: String]
    /// The number of related records of each relationship to many, if it is known without a long count.
    public var counts: [String: Int]
    /// When the record expires, as seconds since 1 January 1970, or `nil` if it does not expire.
    public var expiry: Double?
    /// Why a value could not be read, or `nil`.
    public var problem: String?
    /// The sizes in bytes of the values that were cut to ``InspectionQuery/longestValue``, before they were cut.
    ///
    /// A size is under the index of its value in ``values``. A value without one is whole.
    public var sizes: [Int: Int]

    /// Creates a record.
    public init(
        key: String,
        values: [StoredValue],
        related: [String: String] = [:],
        counts: [String: Int] = [:],
        expiry: Double? = nil,
        problem: String? = nil,
        sizes: [Int: Int] = [:]
    ) {
        self.key = key
        self.values = values
        self.sizes = sizes
        self.related = related
        self.counts = counts
        self.expiry = expiry
        self.problem = problem
    }
}

/// A mistake in an ``InspectionQuery``.
public struct InspectionQueryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong and how to correct it, as a sentence.
    public let message: String
    /// The offsets in characters (Unicode scalars) of the wrong part of ``InspectionQuery/filter``, or `nil` if another part is wrong.
    public let place: Range<Int>?

    /// Creates an error.
    public init(_ message: String, at place: Range<Int>? = nil) {
        self.message = message
        self.place = place
    }

    /// The message.
    public var description: String { message }
}

/// How an inspected instance executes a query.
public struct InspectionPlan: Sendable, Hashable {
    /// The statement in the language of the database.
    public var statement: String
    /// The steps of the plan, one line each.
    public var steps: [String]
    /// What would make the query faster, such as a missing index, as sentences.
    public var advice: [String]

    /// Creates a plan.
    public init(statement: String, steps: [String], advice: [String] = []) {
        self.statement = statement
        self.steps = steps
        self.advice = advice
    }
}
