#if Objects
internal import LarderCore

/// The values and the bookkeeping of one object; for the code that the macro writes.
///
/// The row is kept as it was read, and never changed. What was set since then lies over it, so that a column that is set
/// back to what it was is no change, and forgetting the changes is forgetting what lies above.
public final class ObjectState {
    enum Status: UInt8 {
        /// Its row is in the database.
        case stored
        /// Its row will be inserted by the next save.
        case inserted
        /// Its row will be deleted by the next save.
        case deleted
        /// Its row is no longer in the database, or it never will be.
        case gone
        /// Stands for an object that could not be read; it has defaults and takes no changes.
        case placeholder
        /// Records which properties are read, and has no values.
        case probe
    }

    let entity: ResolvedEntity
    let rowID: Int64
    let context: ObjectContext
    /// Whether it is a probe, which it is for ever: this is read without the gate.
    let isProbe: Bool
    var status: Status
    /// The row as it was read last.
    var row: PackedRow?
    /// What was set since, by column; empty as long as nothing was.
    var changes: [ColumnValue?] = []
    /// The ids that relationships to many lead to, by relationship, as far as they were asked for.
    var lists: [[Int64]?] = []
    /// The objects that came from the same fetch, whose relationships are read together with this one's.
    var group: FetchGroup?
    /// Whether the context lists it among what may have changed.
    var isListed = false
    /// In which round of forgetting unused objects it was used last.
    var round: UInt32 = 0
    /// Columns that were given a value that can't be stored.
    var unstorable: Set<Int> = []

    init(entity: ResolvedEntity, rowID: Int64, context: ObjectContext, status: Status) {
        self.entity = entity
        self.rowID = rowID
        self.context = context
        self.status = status
        isProbe = status == .probe
    }

    var objectID: ObjectID {
        if isProbe { PropertyProbe.record(.key) }
        return entity.objectID(rowID)
    }
    var isDeleted: Bool { context.exclusively { status == .deleted || status == .gone } }

    var hasChanges: Bool {
        context.exclusively {
            switch status {
            case .inserted, .deleted: true
            case .stored: changes.contains { $0 != nil } || context.hasLinkChanges(self)
            case .gone, .placeholder, .probe: false
            }
        }
    }

    /// The value of a column now.
    func column(_ index: Int) -> ColumnValue {
        if !changes.isEmpty, let change = changes[index] { return change }
        return row?.value(at: index) ?? .null
    }

    /// The id in a column that refers to an object.
    func reference(_ index: Int) -> Int64? {
        if !changes.isEmpty, let change = changes[index] { return change.integerValue }
        return row?.integer(at: index)
    }

    /// Sets a column, or takes the change back when that is what the row holds.
    func set(_ index: Int, _ value: ColumnValue) {
        unstorable.remove(index)
        if column(index) == value { return }
        if changes.isEmpty { changes = Array(repeating: nil, count: entity.columns.count) }
        changes[index] = row?.value(at: index) == value ? nil : value
        context.list(self)
        if !entity.foldedColumns.isEmpty, let folded = entity.foldedColumns[index] { set(folded, value.searchFolded) }
    }

    /// The columns that a save would write.
    var changedColumns: [Int] { changes.indices.filter { changes[$0] != nil } }
}

extension ObjectState {
    /// The value of an attribute.
    ///
    /// - Parameters:
    ///   - index: Its place among the attributes.
    ///   - coding: How it is stored.
    ///   - missing: What to return when nothing is stored, or when what is stored does not convert, which is reported.
    /// - Returns: The value.
    public func value<Coding: AttributeCoding>(
        _ index: Int,
        _ coding: Coding.Type,
        default missing: @autoclosure () -> Coding.Value
    ) -> Coding.Value {
        if isProbe { return PropertyProbe.value(index, coding) ?? missing() }
        let stored = context.exclusively { column(index) }
        if let value = Coding.decode(stored) { return value }
        if !stored.isNull { context.report(context.notConvertible(self, column: index)) }
        return missing()
    }

    /// Sets an attribute.
    ///
    /// An object of the view, or of a storage that is no longer there, is left as it is, which is reported.
    ///
    /// - Parameters:
    ///   - index: Its place among the attributes.
    ///   - coding: How it is stored.
    ///   - value: Its new value.
    public func setValue<Coding: AttributeCoding>(_ index: Int, _ coding: Coding.Type, _ value: Coding.Value) {
        guard context.mayChange(self) else { return }
        let stored = Coding.encode(value)
        set(index, stored)
        if stored.isNull, (value as? any OptionalType)?.isNil != true {
            unstorable.insert(index)
            context.list(self)
        }
    }
}
#endif
