import LarderCore
import LarderFiles

/// A namespace for functions that read a page of the entries in one pass over the index.
///
/// The pass reads the entries in the order of memory, and makes strings only of the keys that the page may contain.
enum Paging {
    /// An entry that may be part of the page.
    fileprivate struct Found {
        var value: StoredValue
        var inFile: DeviceLog.Value?
        /// The expiry in milliseconds since 1970, or `Int64.max` if the entry never expires.
        var expiry: Int64
    }

    /// Returns a page of the entries.
    ///
    /// See `PagingStore.page(_:)`.
    static func page(_ request: EntryPageRequest, _ entrance: inout Entrance) throws -> EntryPage {
        if let search = request.search { return try self.page(request, search, &entrance) }
        let (selection, total) = try selected(request, &entrance)
        // Sorted and read without the lock, which every commit needs.
        let (entries, isLast) = selection.finish()
        let place = entrance.place
        return EntryPage(entries, isLast: isLast, total: total, request) {
            PagedEntry(key: $0.key, $0.payload, request, place)
        }
    }

    /// Returns the number of keys that begin with `prefix`.
    static func count(prefix: String, _ entrance: inout Entrance) throws -> Int {
        try selected(EntryPageRequest(prefix: prefix, limit: 0), &entrance).total
    }

    /// Returns the entries that a page without a search may contain, and the number of entries with its prefix.
    private static func selected(
        _ request: EntryPageRequest,
        _ entrance: inout Entrance
    ) throws -> (selection: EntrySelection<Found>, total: Int) {
        let place = entrance.place
        return try Reading.withIndex(&entrance) { index in
            var selection = EntrySelection<Found>(request)
            var total = 0
            let now = Reading.moment(index, place)
            index.entries.forEachEntry { number, entry in
                entry.withKey { key in
                    guard selection.hasPrefix(key), !StoreKey.isReserved(key) else { return }
                    let expiry = entry.value.box?.pointee.expiry ?? .max
                    guard expiry > now else { return }
                    total += 1
                    if selection.admits(key) { selection.take(key, found(number, expiry, index)) }
                }
            }
            return (selection, total)
        }
    }

    private static func found(_ number: Int, _ expiry: Int64, _ index: borrowing Index) -> Found {
        let entry = index.entries.entry(number)
        return Found(
            value: entry.value,
            inFile: entry.isInFile ? index.valueInFile(number) : nil,
            expiry: expiry
        )
    }

    // MARK: - Searching

    /// The number of entries that a search reads while it holds the lock, unless the store has very many.
    private static let entriesInSlice = 1 << 14
    /// The maximum number of times that a pass of a search releases the lock.
    private static let mostSlices = 256
    /// The pause between two slices.
    ///
    /// A thread that takes a mutex again at once wins it before a waiting thread is awake.
    private static let pause = Duration.microseconds(50)
    /// The maximum number of passes that begin again because another process has replaced the log.
    private static let mostPasses = 3

    /// Returns the entries that contain a text in their key or value, and those whose values are in the file and not read yet.
    ///
    /// Comparing the values of a million entries takes a tenth of a second, so the lock is released now and then.
    private static func page(
        _ request: EntryPageRequest,
        _ search: TextSearch,
        _ entrance: inout Entrance
    ) throws -> EntryPage {
        for _ in 1..<mostPasses {
            if let page = try pass(request, search, &entrance, isInterruptible: true) { return page }
        }
        return try pass(request, search, &entrance, isInterruptible: false) ?? EntryPage()
    }

    /// Returns a page, or `nil` if the index was replaced during the pass.
    private static func pass(
        _ request: EntryPageRequest,
        _ search: TextSearch,
        _ entrance: inout Entrance,
        isInterruptible: Bool
    ) throws -> EntryPage? {
        let place = entrance.place
        var selection = EntrySelection<Found>(request)
        var generation: UInt64?
        var next = 0
        while true {
            let isOver = try Reading.withIndex(&entrance) { index -> Bool? in
                guard generation == nil || generation == index.log.generation else { return nil }
                generation = index.log.generation
                let entryEnd = index.entries.entryEnd
                let now = Reading.moment(index, place)
                guard isInterruptible, !index.entries.isMostlyFree else {
                    index.entries.forEachEntry { select($0, $1, of: index, search, at: now, &selection) }
                    return true
                }
                let end = min(next + max(entriesInSlice, entryEnd / mostSlices), entryEnd)
                if next < end {
                    index.entries.forEachEntry(in: next..<end) {
                        select($0, $1, of: index, search, at: now, &selection)
                    }
                }
                next = end
                return end >= entryEnd
            }
            guard let isOver else { return nil }
            if isOver { break }
            CurrentProcess.sleep(for: pause)
        }
        // An entry that was removed and added again during the pass may have been found twice, and is left out of the page once.
        let (entries, isLast) = selection.finish()
        return EntryPage(entries, isLast: isLast, request) { PagedEntry(key: $0.key, $0.payload, request, place) }
    }

    private static func select(
        _ number: Int,
        _ entry: IndexEntry,
        of index: borrowing Index,
        _ search: TextSearch,
        at now: Int64,
        _ selection: inout EntrySelection<Found>
    ) {
        entry.withKey { key in
            guard selection.hasPrefix(key), selection.admits(key), !StoreKey.isReserved(key) else { return }
            let expiry = entry.value.box?.pointee.expiry ?? .max
            guard expiry > now else { return }
            let found = found(number, expiry, index)
            guard found.inFile != nil || search.matches(key) || search.matches(found.value) else { return }
            selection.take(key, found)
        }
    }
}

extension PagedEntry {
    /// Creates an entry, and reads its value, or as much of it as is requested, if it is stored only in the file.
    ///
    /// No lock is needed, because existing data in a log file never changes.
    fileprivate init(key: String, _ found: Paging.Found, _ request: EntryPageRequest, _ place: Place) {
        var size: Int?
        self.init(
            key: key,
            value: Result {
                guard let inFile = found.inFile else { return found.value }
                let (value, wholeSize) = try place.load(inFile, longest: request.longestValue)
                size = wholeSize
                return value
            },
            expiry: found.expiry == .max ? nil : Double(found.expiry) / 1_000
        )
        self.size = size
    }
}

extension DeviceIndex {
    /// Whether only few of the entries that have ever been in use still are, so that a pass in the order of memory is not worthwhile.
    var isMostlyFree: Bool { count < entryEnd / 8 }

    /// Calls `body` with each entry, in no particular order.
    ///
    /// For many entries, this is several times as fast as ``forEachIndex(_:)``. The index must not change during the call.
    func forEachEntry(_ body: (_ number: Int, IndexEntry) -> Void) {
        if isMostlyFree {
            forEachIndex { body($0, table.entry($0)) }
        } else {
            forEachEntry(in: 0..<entryEnd, body)
        }
    }

    /// Calls `body` with each entry whose number is in a range, in the order of memory.
    ///
    /// The index must not change during the call.
    func forEachEntry(in numbers: Range<Int>, _ body: (_ number: Int, IndexEntry) -> Void) {
        guard !numbers.isEmpty else { return }
        // A bit for each entry in the range that is free, whose memory still holds its former key.
        var isFree = [UInt64](repeating: 0, count: free.isEmpty ? 0 : numbers.count / 64 + 1)
        for number in free where numbers.contains(number) {
            let offset = number - numbers.lowerBound
            isFree[offset >> 6] |= 1 << UInt64(offset & 63)
        }
        for number in numbers {
            let offset = number - numbers.lowerBound
            if !isFree.isEmpty, isFree[offset >> 6] & 1 << UInt64(offset & 63) != 0 { continue }
            body(number, table.entry(number))
        }
    }
}
