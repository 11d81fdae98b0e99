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
        if !unstorable.isEmpty { unstorable.remove(index) }
        guard let row else {
            // A new object has all of its values here.
            if changes[index] == value { return }
            changes[index] = value
            context.list(self)
            if !entity.foldedColumns.isEmpty, let folded = entity.foldedColumns[index] {
                set(folded, value.searchFolded)
            }
            return
        }
        let isStored = row.holds(value, at: index)
        if changes.isEmpty {
            if isStored { return }
            changes = Array(repeating: nil, count: entity.columns.count)
        }
        if isStored, changes[index] == nil { return }
        changes[index] = isStored ? nil : value
        context.list(self)
        if !entity.foldedColumns.isEmpty, let folded = entity.foldedColumns[index] { set(folded, value.searchFolded) }
    }

    /// Sets the stored form of an attribute, for tests that make values up.
    package func setStored(_ attribute: Int, _ value: ColumnValue) { store(attribute, value, isStorable: true) }

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
    @inlinable
    public func value<Coding: AttributeCoding>(
        _ index: Int,
        _ coding: Coding.Type,
        default missing: @autoclosure () -> Coding.Value
    ) -> Coding.Value {
        if let stored = storedValue(index) {
            if let value = Coding.decode(stored) { return value }
            if !stored.isNull { reportNotConvertible(index) }
            return missing()
        }
        return probedValue(index, coding) ?? missing()
    }

    /// Sets an attribute.
    ///
    /// An object of the view, or of a storage that is no longer there, is left as it is, which is reported.
    ///
    /// - Parameters:
    ///   - index: Its place among the attributes.
    ///   - coding: How it is stored.
    ///   - value: Its new value.
    @inlinable
    public func setValue<Coding: AttributeCoding>(_ index: Int, _ coding: Coding.Type, _ value: Coding.Value) {
        let stored = Coding.encode(value)
        store(index, stored, isStorable: !stored.isNull || Coding.isNil(value))
    }

    /// The stored form of an attribute; `nil` in a probe.
    @usableFromInline func storedValue(_ index: Int) -> ColumnValue? {
        if isProbe { return nil }
        return context.exclusively { column(index) }
    }

    @usableFromInline func probedValue<Coding: AttributeCoding>(_ index: Int, _ coding: Coding.Type) -> Coding.Value? {
        PropertyProbe.value(index, coding)
    }

    @usableFromInline func reportNotConvertible(_ index: Int) {
        context.report(context.notConvertible(self, column: index))
    }

    @usableFromInline func store(_ index: Int, _ stored: ColumnValue, isStorable: Bool) {
        guard context.mayChange(self) else { return }
        set(index, stored)
        if !isStorable {
            unstorable.insert(index)
            context.list(self)
        }
    }
}
#endif
