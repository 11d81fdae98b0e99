import LarderCore

extension DeviceIndex {
    // MARK: Readers without a lock

    /// Lets readers without a lock in, to what reflects `state`.
    mutating func show(through view: IndexView, _ state: StateWord) {
        // What was read had room made for it by a guess.
        if isSparse { shrink() }
        view.begin()
        view.beginRestructuring()
        self.view = view
        view.endRestructuring(table)
        view.end(table, state.rawValue)
    }

    /// Lets readers without a lock in again after a change.
    @inline(__always)
    func publish(_ state: StateWord) { view?.end(table, state.rawValue) }

    /// Turns readers without a lock away until the next ``publish(_:)``: before each change.
    @inline(__always)
    private func beginChange() { view?.begin() }

    // MARK: Changing

    /// Puts `entry` under `key`, whose bytes are copied when the key is new.
    @inline(__always)
    mutating func set(_ entry: Entry, for key: UnsafeRawBufferPointer, hashed hash: UInt64, at position: Int) {
        let key = KeyWords(key)
        var slot = table.search(for: key, hashed: hash)
        if slot.isTaken { return replace(IndexTable.number(ofSlot: table.slot(slot.place)), with: entry, at: position) }
        beginChange()
        if count + 1 > (table.mask + 1) * 3 / 4 {
            resize(to: 2 * (table.mask + 1))
            slot = table.search(for: key, hashed: hash)
        }
        let number = free.isEmpty ? nextEntry() : free.removeLast()
        let place = table.entry(number)
        place.setKey(key, longKey: key.isInEntry ? nil : keys.copy(key, memory))
        put(IndexValue(entry), entry.length, entry.expiry, place, keyLength: key.count, at: position)
        table.setSlot(slot.place, IndexTable.slot(IndexTable.tag(hash), number))
        count += 1
    }

    /// Puts `entry` in the place of the entry of that number, under the same key.
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

    /// The same with a number that never expires, which is what most changes are; `length` is what its encoding takes.
    @inline(__always)
    mutating func replace(_ number: Int, with value: IndexValue, length: Int, at position: Int) {
        beginChange()
        let place = table.entry(number)
        guard !place.value.needsLock else { return replaceAny(place, with: value, length, .max, at: position) }
        liveBytes += LogEntry.growth(from: place.valueLength, to: length)
        place.setValue(value, length: length, keyLength: place.keyLength)
        place.setPosition(side, position)
    }

    /// The box is used again: readers without a lock never look into one.
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

    /// Removes `key`; harmless when it is not there.
    mutating func remove(_ key: UnsafeRawBufferPointer, hashed hash: UInt64) {
        let key = KeyWords(key)
        guard var place = place(of: key, hashed: hash) else { return }
        beginChange()
        view?.beginRestructuring()
        let mask = table.mask
        let number = IndexTable.number(ofSlot: table.slot(place))
        forget(table.entry(number))
        if !key.isInEntry { keys.giveUp(key.count) }
        free.append(number)
        count -= 1
        table.setSlot(place, 0)
        var next = (place + 1) & mask
        while true {
            let slot = table.slot(next)
            if slot == 0 { break }
            let home = table.place(IndexTable.tag(ofSlot: slot))
            // Whether its home lies, going round, behind the gap: then it can be reached across it only if it stays.
            if (next - home) & mask >= (next - place) & mask {
                table.setSlot(place, slot)
                table.setSlot(next, 0)
                place = next
            }
            next = (next + 1) & mask
        }
        view?.endRestructuring(table)
        // What is still being read may be the removals before all the rest.
        if view != nil, isSparse { shrink() }
        if keys.wantsPacking(beside: table.mask + 1) { packKeys() }
    }

    /// Notes where an entry will lie once ``turnOver()`` is called.
    func prepare(_ number: Int, at position: Int) { table.entry(number).setPosition(1 - side, position) }

    /// Makes the prepared positions count.
    ///
    /// Every entry must have one.
    mutating func turnOver() { side = 1 - side }

    // MARK: Growing and shrinking

    @inline(__always)
    private func insert(_ number: Int, tag: UInt32) {
        let mask = table.mask
        var place = table.place(tag)
        while table.slot(place) != 0 { place = (place + 1) & mask }
        table.setSlot(place, IndexTable.slot(tag, number))
    }

    @inline(__always)
    private mutating func nextEntry() -> Int {
        if entryEnd % IndexEntry.inChunk == 0 { addChunk(for: entryEnd) }
        entryEnd += 1
        return entryEnd - 1
    }

    /// Takes memory for the chunk that begins with the entry of that number.
    @inline(never)
    mutating func addChunk(for number: Int) {
        let chunk = number / IndexEntry.inChunk
        if chunk == table.directorySize { enlargeDirectory() }
        table.setChunk(chunk, memory.takeChunk(Self.wordsInChunk))
    }

    private mutating func enlargeDirectory() {
        let (old, size) = (table.directory, table.directorySize)
        let larger = memory.take(IndexTable.directoryWordCount(size * 2), for: .directory)
        for index in 1...size { larger[index] = old[index] }
        table.begin(larger, size: size * 2)
        release(old, IndexTable.directoryWordCount(size), for: .directory)
    }

    /// Makes room for `capacity` keys at once, where there is less.
    mutating func reserve(_ capacity: Int) {
        let size = Self.tableSize(for: capacity)
        if size > table.mask + 1 { resize(to: size) }
    }

    /// Whether the table is so much larger than its keys need that going through it costs too much.
    ///
    /// Far from where it grows, so that as many removals lead to it as make up for it.
    @inline(__always)
    private var isSparse: Bool { count < (table.mask + 1) / 16 && table.mask >= Self.smallestSparseTable }

    private static var smallestSparseTable: Int { 1 << 10 }

    @inline(never)
    private mutating func shrink() { resize(to: Self.tableSize(for: 2 * count)) }

    @inline(never)
    private mutating func resize(to size: Int) {
        view?.beginRestructuring()
        let old = table
        let oldSize = old.mask + 1
        table = IndexTable(memory.take(IndexTable.wordCount(size), for: .table))
        table.mask = size - 1
        table.directory = old.directory
        for place in 0..<oldSize {
            let slot = old.slot(place)
            if slot != 0 { insert(IndexTable.number(ofSlot: slot), tag: IndexTable.tag(ofSlot: slot)) }
        }
        view?.endRestructuring(table)
        release(old.words, IndexTable.wordCount(oldSize), for: .table)
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
