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

    // The model holds it, the context holds the model, and this holds the context.
    unowned(unsafe) let entity: ResolvedEntity
    let rowID: Int64
    let context: ObjectContext
    /// The instance, once it was asked for, as long as the context has this in its table; both hold one another until it is taken out.
    var object: AnyObject?
    /// Where the row is as it was read last.
    private var page: RowPage?
    private var rare: RareData?
    /// What was set since the row was read, by column; `nil` as long as nothing was.
    private var changes: UnsafeMutablePointer<ColumnValue?>?
    private var offset: UInt32 = 0
    /// In which round of forgetting unused objects it was used last.
    var round: UInt8 = 0
    /// Whether some work that recognises objects among values has met it; whoever says so takes it back.
    var isMet = false
    var status: Status
    /// Whether it is a probe, which it is for ever: this is read without the gate.
    let isProbe: Bool
    /// Whether the context lists it among what may have changed.
    var isListed = false

    /// What most objects do not have, so that these are small.
    private final class RareData {
        /// The ids that relationships to many lead to, by relationship, as far as they were asked for.
        var lists: [[Int64]?] = []
        /// Columns that were given a value that can't be stored, and why.
        var unstorable: [Int: any Error] = [:]
        /// Columns whose value could not be read, and why: what is made of a default must not take its place.
        var unread: [Int: (any Error)?] = [:]
        /// The row that a save has written, and that is not settled yet.
        var written: RowPlace?
    }

    init(entity: ResolvedEntity, rowID: Int64, context: ObjectContext, status: Status) {
        self.entity = entity
        self.rowID = rowID
        self.context = context
        self.status = status
        isProbe = status == .probe
    }

    deinit { forgetChanges() }

    /// What was set, of which there is `initial` at first in every column.
    private func makeChanges(_ initial: ColumnValue? = nil) -> UnsafeMutablePointer<ColumnValue?> {
        if let changes { return changes }
        let made = UnsafeMutablePointer<ColumnValue?>.allocate(capacity: entity.columns.count)
        made.initialize(repeating: initial, count: entity.columns.count)
        changes = made
        return made
    }

    private func forgetChanges() {
        guard let changes else { return }
        changes.deinitialize(count: entity.columns.count)
        changes.deallocate()
        self.changes = nil
    }

    private var rareData: RareData {
        if let rare { return rare }
        let made = RareData()
        rare = made
        return made
    }

    /// Gives a new object its values.
    func setDefaults() {
        entity.putDefaults(makeChanges(.null)) { rareData.unstorable[$0] = $1 }
    }

    /// The ids that relationships to many lead to, by relationship, as far as they were asked for.
    var lists: [[Int64]?] {
        get { rare?.lists ?? [] }
        _modify { yield &rareData.lists }
    }

    /// Columns that were given a value that can't be stored, and why.
    var unstorable: [Int: any Error] { rare?.unstorable ?? [:] }

    /// The row as it was read last.
    var row: PackedRow? {
        guard let page else { return nil }
        return PackedRow(start: UnsafeRawPointer(page.start) + Int(offset), isWide: page.isWide)
    }

    /// The objects that came from the same fetch, whose relationships are read together with this one's.
    var group: FetchGroup? { page?.group }

    /// Takes another row for the one that is in the database.
    func read(_ place: RowPlace) {
        page = place.page
        offset = place.offset
    }

    /// The row that a save has written, and that is not settled yet.
    var written: RowPlace? {
        get { rare?.written }
        set { if rare != nil || newValue != nil { rareData.written = newValue } }
    }

    /// Takes what was written for the row, and forgets what was set.
    func settle() {
        forgetChanges()
        isListed = false
        guard let rare else { return }
        if let written = rare.written { read(written) }
        if rare.lists.isEmpty, rare.unstorable.isEmpty, rare.unread.isEmpty {
            self.rare = nil
        } else {
            rare.written = nil
        }
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
            case .stored: isChanged || context.hasLinkChanges(self)
            case .gone, .placeholder, .probe: false
            }
        }
    }

    /// The value of a column now.
    func column(_ index: Int) -> ColumnValue {
        if let changes, let change = changes[index] { return change }
        guard let page else { return .null }
        return withExtendedLifetime(page) {
            PackedRow(start: UnsafeRawPointer(page.start) + Int(offset), isWide: page.isWide).value(at: index)
        }
    }

    /// The id in a column that refers to an object.
    func reference(_ index: Int) -> Int64? {
        if let changes, let change = changes[index] { return change.integerValue }
        return row?.integer(at: index)
    }

    /// Sets a column, or takes the change back when that is what the row holds.
    func set(_ index: Int, _ value: ColumnValue) {
        if let rare, !rare.unstorable.isEmpty { rare.unstorable[index] = nil }
        guard let row else {
            // A new object has all of its values in its changes, and is listed.
            guard let changes else { return }
            changes[index] = value
            if entity.hasFoldedColumns, let folded = entity.foldedColumns[index] { set(folded, value.searchFolded) }
            return
        }
        let isStored = row.holds(value, at: index)
        if isStored, changes == nil { return }
        let changes = makeChanges()
        if isStored, changes[index] == nil { return }
        changes[index] = isStored ? nil : value
        if !isListed { context.list(self) }
        if entity.hasFoldedColumns, let folded = entity.foldedColumns[index] { set(folded, value.searchFolded) }
    }

    /// Whether a save would write anything of it, or refuse it.
    var isChanged: Bool {
        if let rare, !rare.unstorable.isEmpty { return true }
        guard let changes else { return false }
        for index in 0..<entity.columns.count where changes[index] != nil { return true }
        return false
    }

    /// Whether a column was set to something else than what the row holds.
    func isChanged(_ index: Int) -> Bool {
        guard let changes else { return false }
        return changes[index] != nil
    }

    /// Whether a column would be saved without a value.
    ///
    /// What an older program left empty is only looked at when it changes.
    func lacks(_ index: Int) -> Bool {
        guard let changes, let change = changes[index] else { return status == .inserted }
        return change.isNull
    }

    /// Whether nothing in its columns keeps it from being saved.
    var isStorable: Bool {
        if let rare, !rare.unstorable.isEmpty { return false }
        for index in entity.requiredColumns where lacks(index) { return false }
        return true
    }

    /// The columns that a save would write.
    var changedColumns: ColumnSet {
        var columns = ColumnSet()
        guard let changes else { return columns }
        for index in 0..<entity.columns.count where changes[index] != nil { columns.insert(index) }
        return columns
    }

    /// Puts the values as they are now into a page, as the row that a save writes.
    ///
    /// - Returns: Where it is.
    func pack(_ packer: inout RowPacker) -> RowPlace {
        packer.begin(group: group)
        let (changes, row) = (changes, row)
        for index in 0..<entity.columns.count {
            if let changes, changes[index] != nil {
                if let change = changes[index] { packer.add(change) }
            } else if let content = row?.content(of: index), let tag = content.tag {
                packer.add(tag, content.bytes)
            } else {
                packer.addNull()
            }
        }
        return packer.finishRow()
    }

    /// Sets the stored form of an attribute, for tests that make values up.
    package func setStored(_ attribute: Int, _ value: ColumnValue) { store(attribute, value) }
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
            if !stored.isNull { reportNotConvertible(index, Coding.decodingError(of: stored)) }
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
        if !stored.isNull || Coding.isNil(value) {
            store(index, stored)
        } else {
            refuse(index, Coding.encodingError(of: value))
        }
    }

    /// The stored form of an attribute; `nil` in a probe.
    @usableFromInline func storedValue(_ index: Int) -> ColumnValue? {
        if isProbe { return nil }
        return context.exclusively { column(index) }
    }

    @usableFromInline func probedValue<Coding: AttributeCoding>(_ index: Int, _ coding: Coding.Type) -> Coding.Value? {
        PropertyProbe.value(index, coding)
    }

    @usableFromInline func reportNotConvertible(_ index: Int, _ cause: (any Error)?) {
        if context.isWritable { rareData.unread[index] = .some(cause) }
        context.reportNotConvertible(self, column: index, cause)
    }

    @usableFromInline func store(_ index: Int, _ stored: ColumnValue) {
        guard context.mayChange(self) else { return }
        set(index, stored)
        if let rare, let cause = rare.unread[index], let row, isChanged(index),
            !entity.description.attributes[index].canDecode(row.value(at: index))
        {
            rare.unstorable[index] = UnreadValue(cause: cause)
        }
    }

    /// Takes note of a value that can't be stored: no save succeeds until another is set.
    @usableFromInline func refuse(_ index: Int, _ cause: (any Error)?) {
        guard context.mayChange(self) else { return }
        set(index, .null)
        rareData.unstorable[index] = UnstorableValue(cause: cause)
        context.list(self)
    }
}
#endif
