#if Objects
internal import LarderCore

/// The values and unsaved changes of one object.
///
/// The code that the `@Entity` macro generates uses this class.
///
/// The row is kept as it was read, and unsaved changes are stored separately.
public final class ObjectState {
    enum Status: UInt8 {
        /// The object's row is in the database.
        case stored
        /// The object is new. The next save inserts its row.
        case inserted
        /// The object is deleted. The next save deletes its row.
        case deleted
        /// The object's row has been deleted from the database, or was never inserted.
        case gone
        /// The object is a read-only placeholder with default values for a related object that could not be read.
        case placeholder
        /// The object is a probe, which records the properties that are read.
        case probe
    }

    // This reference is safe, because the model owns the entity, the context owns the model, and this state owns the context.
    unowned(unsafe) let entity: ResolvedEntity
    let rowID: Int64
    let context: ObjectContext
    /// The object's instance, or `nil` if none was created.
    ///
    /// The instance and the state retain each other while the state is in the context's table.
    var object: AnyObject?
    /// The memory page that contains the object's row as it was last read.
    private var page: RowPage?
    private var rare: RareData?
    /// The unsaved value of each column, or `nil` if no column has changed.
    private var changes: UnsafeMutablePointer<ColumnValue?>?
    private var offset: UInt32 = 0
    /// The value of ``ObjectContext/round`` when the state was last used.
    var round: UInt8 = 0
    /// Whether a value passed to the current upsert or sync matches this object.
    var isMet = false
    var status: Status
    /// Whether the state is a probe, which records the properties that are read.
    ///
    /// A probe never changes and can be read without holding the context's lock.
    let isProbe: Bool
    /// Whether the context lists this object as possibly changed.
    var isListed = false

    /// Data that few objects have, stored separately to keep states small.
    private final class RareData {
        /// The ids of the objects in each to-many relationship, indexed by relationship.
        ///
        /// An element is `nil` if the relationship has not been read.
        var lists: [[Int64]?] = []
        /// The errors for columns that were set to values that can't be stored, keyed by column index.
        var unstorable: [Int: any Error] = [:]
        /// The causes of decoding failures, keyed by column index.
        ///
        /// Changing one of these columns makes the next save fail.
        var unread: [Int: (any Error)?] = [:]
        /// The row that the save in progress has written for this object, or `nil` if there is none.
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

    /// Returns the storage for changed columns, allocated on the first call.
    ///
    /// Every element of newly allocated storage is initialized to `initial`.
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

    /// Sets all properties of a new object to their default values.
    func setDefaults() {
        let values = makeChanges(.null)
        if context.isScratch, let known = context.scratchDefaults[entity.index] {
            for (column, value) in known.enumerated() { values[column] = value }
            return
        }
        entity.putDefaults(values) { rareData.unstorable[$0] = $1 }
        if context.isScratch { context.scratchDefaults[entity.index] = entity.columns.indices.map { values[$0] } }
    }

    /// The ids of the objects in each to-many relationship, indexed by relationship.
    ///
    /// An element is `nil` if the relationship has not been read.
    var lists: [[Int64]?] {
        get { rare?.lists ?? [] }
        _modify { yield &rareData.lists }
    }

    /// The errors for columns that were set to values that can't be stored, keyed by column index.
    var unstorable: [Int: any Error] { rare?.unstorable ?? [:] }

    var row: PackedRow? {
        guard let page else { return nil }
        return PackedRow(start: UnsafeRawPointer(page.start) + Int(offset), isWide: page.isWide)
    }

    /// The group of objects that were fetched together with this object, or `nil` if there is none.
    var group: FetchGroup? { page?.group }

    /// Replaces the stored row with the row at `place`.
    func read(_ place: RowPlace) {
        page = place.page
        offset = place.offset
    }

    /// The row that the save in progress has written for this object, or `nil` if there is none.
    var written: RowPlace? {
        get { rare?.written }
        set { if rare != nil || newValue != nil { rareData.written = newValue } }
    }

    /// Makes the row that a save has written the stored row, and discards the object's unsaved changes.
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

    /// Returns the value of a column, taking unsaved changes into account.
    func column(_ index: Int) -> ColumnValue {
        if let changes, let change = changes[index] { return change }
        guard let page else { return .null }
        return withExtendedLifetime(page) {
            PackedRow(start: UnsafeRawPointer(page.start) + Int(offset), isWide: page.isWide).value(at: index)
        }
    }

    /// Returns the id in a reference column, taking unsaved changes into account.
    func reference(_ index: Int) -> Int64? {
        if let changes, let change = changes[index] { return change.integerValue }
        return row?.integer(at: index)
    }

    /// Sets a column to a value, or discards the column's unsaved change if the value equals the stored value.
    func set(_ index: Int, _ value: ColumnValue) {
        if let rare, !rare.unstorable.isEmpty { rare.unstorable[index] = nil }
        guard let row else {
            // All values of a new object are in its changes, and the object is already in the context's list.
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

    /// Whether the object has unsaved changes, valid or invalid.
    var isChanged: Bool {
        if let rare, !rare.unstorable.isEmpty { return true }
        guard let changes else { return false }
        for index in 0..<entity.columns.count where changes[index] != nil { return true }
        return false
    }

    /// Returns whether a column's value differs from the stored row.
    func isChanged(_ index: Int) -> Bool {
        guard let changes else { return false }
        return changes[index] != nil
    }

    /// Returns whether a save would write NULL to a required column.
    ///
    /// A NULL stored by an older version of the app is ignored.
    func lacks(_ index: Int) -> Bool {
        guard let changes, let change = changes[index] else { return status == .inserted }
        return change.isNull
    }

    /// Whether all columns contain values that can be stored.
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

    /// Packs the current column values into the row that a save writes.
    ///
    /// - Returns: The location of the packed row.
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

    /// Sets an attribute to a value in its stored form.
    package func setStored(_ attribute: Int, _ value: ColumnValue) { store(attribute, value) }
}

extension ObjectState {
    /// Returns an attribute's value.
    ///
    /// A stored value that can't be decoded is reported as an issue.
    ///
    /// - Parameters:
    ///   - index: The attribute's index.
    ///   - coding: The attribute's coding.
    ///   - missing: The value to return if no value is stored or the stored value can't be decoded.
    /// - Returns: The decoded value, or `missing`.
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

    /// Sets an attribute's value.
    ///
    /// If the object can't be changed, for example because it belongs to the view, the call has no effect and is reported as an issue.
    ///
    /// - Parameters:
    ///   - index: The attribute's index.
    ///   - coding: The attribute's coding.
    ///   - value: The attribute's new value.
    @inlinable
    public func setValue<Coding: AttributeCoding>(_ index: Int, _ coding: Coding.Type, _ value: Coding.Value) {
        let stored = Coding.encode(value)
        if !stored.isNull || Coding.isNil(value) {
            store(index, stored)
        } else {
            refuse(index, Coding.encodingError(of: value))
        }
    }

    /// Returns an attribute's stored form, or `nil` if the state is a probe.
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
        guard context.mayChange(self, .attribute(index)) else { return }
        set(index, stored)
        if let rare, let cause = rare.unread[index], let row, isChanged(index),
            !entity.description.attributes[index].canDecode(row.value(at: index))
        {
            rare.unstorable[index] = UnreadValue(cause: cause)
        }
    }

    /// Records that an attribute was set to a value that can't be stored.
    ///
    /// Saves fail until the attribute is set to another value.
    @usableFromInline func refuse(_ index: Int, _ cause: (any Error)?) {
        guard context.mayChange(self, .attribute(index)) else { return }
        set(index, .null)
        rareData.unstorable[index] = UnstorableValue(cause: cause)
        context.list(self)
    }
}
#endif
