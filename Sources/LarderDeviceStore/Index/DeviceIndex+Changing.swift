import LarderCore

extension DeviceIndex {
    // MARK: Readers without a lock

    /// Makes the index available to lock-free readers through `view`.
    ///
    /// `state` is the state of the log that the entries reflect.
    mutating func show(through view: IndexView, _ state: StateWord) {
        // The table may be larger than necessary, because its size was estimated before the log was read.
        if isSparse { shrink() }
        view.begin()
        self.view = view
        view.end(table, state.rawValue)
    }

    /// Ends a change of the index, so that lock-free readers can use the index again.
    @inline(__always)
    func publish(_ state: StateWord) { view?.end(table, state.rawValue) }

    /// Makes lock-free readers fall back to the lock until the next ``publish(_:)``.
    ///
    /// Every change of the index begins with this call.
    @inline(__always)
    private func beginChange() { view?.begin() }

    // MARK: Changing

    /// Adds or replaces the entry for `key`.
    ///
    /// The bytes of a new key are copied.
    @inline(__always)
    mutating func set(_ entry: Entry, for key: KeyWords, hashed hash: UInt64, at position: Int) {
        var slot = table.search(for: key, hashed: hash)
        if let number = slot.number { return replace(number, with: entry, at: position) }
        beginChange()
        if count + 1 > (table.mask + 1) * 3 / 4 {
            resize(to: 2 * (table.mask + 1))
            slot = table.search(for: key, hashed: hash)
        }
        let number = free.isEmpty ? nextEntry() : free.removeLast()
        let place = table.entry(number)
        place.setKey(key, longKey: key.isInEntry ? nil : keys.copy(key, memory))
        put(IndexValue(entry), entry.length, entry.expiry, place, keyLength: key.count, at: position)
        table.numbers.set(number, hashed: hash, at: slot.place)
        count += 1
    }

    /// Replaces the value of entry `number`, and updates the entry's position in the log.
    @inline(__always)
    mutating func replace(_ number: Int, with entry: consuming Entry, at position: Int) {
        if entry.expiry == .max, let value = IndexValue(number: entry.value) {
            replace(number, with: value, length: entry.length, at: position)
        } else {
            beginChange()
            let place = table.entry(number)
            if IndexValue.isBoxed(entry), let box = place.value.box {
                replace(box, of: place, with: entry, at: position)
            } else {
                let (length, expiry) = (entry.length, entry.expiry)
                replaceAny(place, with: IndexValue(entry), length, expiry, at: position)
            }
        }
    }

    /// Replaces the value of entry `number` with a number or Boolean that never expires, and updates the entry's position.
    ///
    /// `length` is the value's encoded size in bytes.
    @inline(__always)
    mutating func replace(_ number: Int, with value: IndexValue, length: Int, at position: Int) {
        beginChange()
        let place = table.entry(number)
        guard !place.value.needsLock else { return replaceAny(place, with: value, length, .max, at: position) }
        liveBytes += LogEntry.growth(from: place.valueLength, to: length)
        place.setValue(value, length: length, keyLength: place.keyLength)
        place.setPosition(side, position)
    }

    /// Replaces a boxed value with another boxed value, and reuses the box.
    ///
    /// Reusing the box is safe, because lock-free readers never read boxes.
    @inline(never)
    private mutating func replace(
        _ box: UnsafeMutablePointer<BoxedValue>,
        of place: IndexEntry,
        with entry: consuming Entry,
        at position: Int
    ) {
        let value = place.value
        discount(place, value)
        put(value, entry.length, entry.expiry, place, keyLength: place.keyLength, at: position)
        box.pointee = BoxedValue(entry)
    }

    @inline(never)
    private mutating func replaceAny(
        _ place: IndexEntry,
        with value: IndexValue,
        _ length: Int,
        _ expiry: Int64,
        at position: Int
    ) {
        forget(place)
        put(value, length, expiry, place, keyLength: place.keyLength, at: position)
    }

    @inline(__always)
    private mutating func put(
        _ value: IndexValue,
        _ length: Int,
        _ expiry: Int64,
        _ place: IndexEntry,
        keyLength: Int,
        at position: Int
    ) {
        place.setValue(value, length: length, keyLength: keyLength)
        place.setPosition(side, position)
        let size = place.size(expires: expiry != .max)
        liveBytes += size
        if expiry != .max { expiries.add(size, until: expiry) }
    }

    @inline(__always)
    private mutating func forget(_ place: IndexEntry) {
        let value = place.value
        discount(place, value)
        value.release()
    }

    @inline(__always)
    private mutating func discount(_ place: IndexEntry, _ value: IndexValue) {
        let expiry = value.box?.pointee.expiry ?? .max
        let size = place.size(expires: expiry != .max)
        liveBytes -= size
        if expiry != .max { expiries.remove(size, until: expiry) }
    }

    /// Removes the entry for `key`, if any.
    mutating func remove(_ key: KeyWords, hashed hash: UInt64) {
        let slot = table.search(for: key, hashed: hash)
        guard let number = slot.number else { return }
        beginChange()
        forget(table.entry(number))
        if !key.isInEntry { keys.giveUp(key.count) }
        free.append(number)
        count -= 1
        table.numbers.remove(at: slot.place)
        // While the log is being read, removals may precede the entries that refill the table.
        if view != nil, isSparse { shrink() }
        if keys.needsRepacking(slots: table.mask + 1) { packKeys() }
    }

    /// Records the offset of entry `number` in the compacted log, which becomes current with ``turnOver()``.
    func prepare(_ number: Int, at position: Int) { table.entry(number).setPosition(1 - side, position) }

    /// Makes the offsets recorded by ``prepare(_:at:)`` the current offsets of all entries.
    ///
    /// Every entry must have a recorded offset.
    mutating func turnOver() { side = 1 - side }

    // MARK: Growing and shrinking

    @inline(__always)
    private mutating func nextEntry() -> Int {
        if entryEnd % IndexEntry.inChunk == 0 { addChunk(for: entryEnd) }
        entryEnd += 1
        return entryEnd - 1
    }

    /// Allocates the chunk of entries that begins with entry `number`.
    @inline(never)
    mutating func addChunk(for number: Int) {
        let chunk = number / IndexEntry.inChunk
        if chunk == table.directorySize { enlargeDirectory() }
        table.setChunk(chunk, memory.take(Self.wordsInChunk, for: .chunk))
    }

    private mutating func enlargeDirectory() {
        let (old, size) = (table.directory, table.directorySize)
        let larger = memory.take(IndexTable.directoryWordCount(size * 2), for: .directory)
        for index in 1...size { larger[index] = old[index] }
        table.begin(larger, size: size * 2)
        release(old, IndexTable.directoryWordCount(size), for: .directory)
    }

    /// Grows the table if it can't hold `capacity` keys.
    mutating func reserve(_ capacity: Int) {
        let size = Self.tableSize(for: capacity)
        if size > table.mask + 1 { resize(to: size) }
    }

    /// Whether the table has so many free slots that iterating over its keys is too expensive.
    ///
    /// The threshold is far below the one for growing, so that the cost of shrinking is amortized over many removals.
    @inline(__always)
    private var isSparse: Bool { count < (table.mask + 1) / 16 && table.mask >= Self.smallestSparseTable }

    private static var smallestSparseTable: Int { 1 << 10 }

    @inline(never)
    private mutating func shrink() { resize(to: Self.tableSize(for: 2 * count)) }

    @inline(never)
    private mutating func resize(to size: Int) {
        let old = table
        table = IndexTable(memory.take(IndexTable.wordCount(size), for: .table))
        table.mask = size - 1
        table.directory = old.directory
        let numbers = table.numbers
        old.numbers.forEach { numbers.insert($0, hashed: $1) }
        release(old.words, IndexTable.wordCount(old.mask + 1), for: .table)
    }

    private mutating func packKeys() {
        var packed = KeyBytes()
        forEachIndex { number in
            let entry = table.entry(number)
            guard entry.keyLength > KeyWords.longestInEntry else { return }
            entry.moveLongKey(to: packed.copy(entry.longKey, ofKeyWith: entry.keyLength, memory))
        }
        swap(&keys, &packed)
        packed.forEachBlock { release($0, $1, for: .keys) }
    }
}
