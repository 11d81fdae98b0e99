/// A change of one record of an inspected table.
public struct InspectionChange: Sendable, Hashable {
    /// What happened to a record.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The record is new.
        case inserted
        /// Values of the record changed.
        case updated
        /// The record is gone.
        case removed
    }

    /// The name of the table.
    public var table: String
    /// The key of the record.
    public var key: String
    /// What happened to the record.
    public var kind: Kind
    /// The value before, if it is known and the table has a single value for each key.
    public var old: StoredValue?
    /// The value afterwards, if it is known and the table has a single value for each key.
    public var new: StoredValue?
    /// The names of the changed columns, if they are known.
    public var columns: [String]

    /// Creates a change.
    public init(
        table: String,
        key: String,
        kind: Kind,
        old: StoredValue? = nil,
        new: StoredValue? = nil,
        columns: [String] = []
    ) {
        self.table = table
        self.key = key
        self.kind = kind
        self.old = old
        self.new = new
        self.columns = columns
    }
}

/// An event for the observers of an inspected instance.
public enum InspectionEvent: Sendable, Hashable {
    /// A commit or save changed records. The origin is a text for display, such as "another process" or the author of a save.
    case changes([InspectionChange], origin: String)
    /// Changes that could not be reported individually were made.
    case missed
}

/// A number that changes while programs use an inspected instance.
public struct InspectionStatistic: Sendable, Hashable {
    /// How the numbers over time become a chart.
    public enum Kind: String, Sendable, Hashable {
        /// The current amount.
        case gauge
        /// A sum that only grows, of which the increase in each second is of interest.
        case counter
    }

    /// The unit of a number.
    public enum Unit: String, Sendable, Hashable {
        /// A number of things.
        case count
        /// A number of bytes.
        case bytes
        /// A duration in seconds.
        case seconds
    }

    /// The name, which is unique in its instance, such as "dead bytes" or "commit, 99th percentile".
    public var name: String
    /// The current number.
    public var number: Double
    /// How the numbers over time become a chart.
    public var kind: Kind
    /// The unit of the number.
    public var unit: Unit

    /// Creates a statistic.
    public init(_ name: String, _ number: Double, _ kind: Kind = .gauge, _ unit: Unit = .count) {
        self.name = name
        self.number = number
        self.kind = kind
        self.unit = unit
    }
}

/// A list beside the tables of an inspected instance, such as its slow queries or past migrations.
public struct InspectionReport: Sendable, Hashable {
    /// The title, such as "Slow queries".
    public var title: String
    /// Why the list is empty or incomplete, as a sentence, or `nil`.
    public var note: String?
    /// The columns.
    public var columns: [InspectionColumn]
    /// The rows, each with one value for each column.
    public var rows: [[StoredValue]]

    /// Creates a list.
    public init(_ title: String, note: String? = nil, columns: [InspectionColumn], rows: [[StoredValue]]) {
        self.title = title
        self.note = note
        self.columns = columns
        self.rows = rows
    }
}

/// Something that an inspected instance can do besides being displayed.
public struct InspectionAction: Sendable, Hashable {
    /// The name, which is unique in its instance, such as "verify".
    public var name: String
    /// What the action does, as a sentence.
    public var explanation: String
    /// The name of the file that the action creates, such as "flags.larder", or `nil` if it creates none.
    public var fileName: String?
    /// Whether the action rewrites the file of the instance.
    public var isWriting: Bool

    /// Creates an action.
    public init(_ name: String, _ explanation: String, fileName: String? = nil, isWriting: Bool = false) {
        self.name = name
        self.explanation = explanation
        self.fileName = fileName
        self.isWriting = isWriting
    }
}
