#if Objects
/// The values of a sectioned list at one point in time.
///
/// A copy takes constant time, and the snapshots of a list share their unchanged parts.
public struct ValuesSnapshot<Value: Sendable & Equatable>: Sendable {
    /// The ids and sections of the objects from which the values were made.
    public let list: ResultsSnapshot
    let rows: RowValues<Value>

    init(_ list: ResultsSnapshot, _ rows: RowValues<Value>) {
        self.list = list
        self.rows = rows
    }

    /// The number of values.
    public var count: Int { list.count }

    /// All values in order.
    public var values: [Value] { list.index.sections.flatMap(values) }

    /// Returns the values of a section in order.
    ///
    /// - Parameter section: The index of the section.
    /// - Returns: The values.
    public func values(in section: Int) -> [Value] { values(of: list.index.sections[section]) }

    /// Returns the value of an object.
    ///
    /// - Parameter id: The id of the object.
    /// - Returns: The value, or `nil` if the list does not contain the object.
    public func value(of id: ObjectID) -> Value? { id.entityName == list.entityName ? rows[id.rowID] : nil }

    private func values(of section: ResultsIndex.Section) -> [Value] { section.keys.compactMap { rows[$0.id] } }
}

extension ValuesSnapshot: Equatable {
    /// Returns whether two snapshots have the same sections, with the same objects and equal values.
    public static func == (first: ValuesSnapshot, second: ValuesSnapshot) -> Bool {
        first.list == second.list && first.values == second.values
    }
}

/// A value for each row of a list, whose copies share their unchanged parts.
struct RowValues<Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let row: Int64
        let value: Value
    }
    private var entries: ChunkedList<Entry>

    init(_ values: [(row: Int64, value: Value)]) {
        entries = ChunkedList(values.sorted { $0.row < $1.row }.map { Entry(row: $0.row, value: $0.value) })
    }

    subscript(row: Int64) -> Value? {
        get {
            let place = entries.place { $0.row >= row }
            guard place < entries.count, entries[place].row == row else { return nil }
            return entries[place].value
        }
        set {
            let place = entries.place { $0.row >= row }
            if place < entries.count, entries[place].row == row { entries.remove(at: place) }
            if let newValue { entries.insert(Entry(row: row, value: newValue), at: place) }
        }
    }
}
#endif
