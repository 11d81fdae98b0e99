#if Objects
internal import Foundation

/// A builder that packs rows with a fixed number of columns into memory pages.
struct RowPacker {
    private let columns: Int
    private var page: RowPage?
    /// The number of bytes that completed rows occupy in the current page.
    private var used = 0
    private var capacity = 0
    private var base: UnsafeMutableRawPointer?
    /// The size of the next page in bytes.
    private var nextSize: Int
    /// The fetch group of the objects whose rows are in the current page.
    private var group: FetchGroup?
    /// The number of bytes that the current row occupies so far.
    private var end = 0
    private var column = 0
    private var isWide = false

    init(columns: Int, group: FetchGroup?) {
        self.columns = columns
        self.group = group
        nextSize = min(RowPage.size, 64 + 16 * columns)
    }

    mutating func begin() {
        (end, column, isWide) = (0, 0, false)
        let header = PackedRow.header(columns, isWide: false)
        reserve(header)
        if !isWide { end = header }
    }

    /// Begins a row, in a new page if the previous row belongs to another fetch group.
    mutating func begin(group: FetchGroup?) {
        if group !== self.group {
            seal()
            self.group = group
        }
        begin()
    }

    mutating func addNull() {
        reserve(0)
        place(.null)
    }

    mutating func add(_ integer: Int64) {
        reserve(8)
        place(.integer)
        storage.storeBytes(of: integer.littleEndian, toByteOffset: used + end, as: Int64.self)
        end += PackedRow.byteCount(integer)
    }

    mutating func add(_ real: Double) {
        reserve(8)
        place(.real)
        storage.storeBytes(of: real.bitPattern.littleEndian, toByteOffset: used + end, as: UInt64.self)
        end += 8
    }

    /// Appends a string or a blob to the current row.
    mutating func add(_ tag: PackedRow.Tag, _ bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count)
        place(tag)
        if let start = bytes.baseAddress, !bytes.isEmpty {
            (storage + used + end).copyMemory(from: start, byteCount: bytes.count)
        }
        end += bytes.count
    }

    mutating func add(_ value: ColumnValue) {
        switch value {
        case .null: addNull()
        case .integer(let integer): add(integer)
        case .real(let real): add(real)
        case .text(var text): text.withUTF8 { add(.text, UnsafeRawBufferPointer($0)) }
        case .blob(let data): data.withUnsafeBytes { add(.blob, $0) }
        }
    }

    /// Ends the current row.
    ///
    /// - Returns: The location of the completed row.
    mutating func finishRow() -> RowPlace {
        place(.null)
        // begin() has created the page.
        let place = RowPlace(page: page.unsafelyUnwrapped, offset: UInt32(used))
        used += end
        // A wide row has a page to itself.
        if isWide { seal() }
        return place
    }

    /// Discards the rows of the current page, so that the next row overwrites them.
    mutating func forgetRows() { used = 0 }

    /// Completes the current page and frees its unused memory.
    mutating func seal() {
        if let page, capacity - used > capacity / 8 { page.trim(to: max(1, used)) }
        (page, base, used, capacity) = (nil, nil, 0, 0)
    }

    private var storage: UnsafeMutableRawPointer {
        // The caller has called reserve(_:), which creates the page.
        base.unsafelyUnwrapped
    }

    /// Writes the type and offset of the next column to the row's header.
    @inline(__always)
    private mutating func place(_ tag: PackedRow.Tag) {
        if isWide {
            let place = UInt64(tag.rawValue) << PackedRow.wideBits | UInt64(end)
            storage.storeBytes(of: place, toByteOffset: used + column * 8, as: UInt64.self)
        } else {
            let place = UInt16(tag.rawValue) << PackedRow.narrowBits | UInt16(truncatingIfNeeded: end)
            storage.storeBytes(of: place, toByteOffset: used + column * 2, as: UInt16.self)
        }
        column += 1
    }

    /// Ensures that `count` more bytes can be appended to the current row.
    @inline(__always)
    private mutating func reserve(_ count: Int) {
        if used + end + count + 8 > capacity || !isWide && end + count >= 1 << PackedRow.narrowBits { move(count) }
    }

    /// Moves the current row to a new page that has space for `count` more bytes.
    private mutating func move(_ count: Int) {
        let becomesWide = !isWide && end + count >= 1 << PackedRow.narrowBits
        let (narrow, wide) = (PackedRow.header(columns, isWide: false), PackedRow.header(columns, isWide: true))
        // A row that has just begun has no table entries yet, so there is nothing to shift.
        let shift = becomesWide ? (end == 0 ? wide : wide - narrow) : 0
        let needed = end + shift + count + 8
        let size = isWide || becomesWide ? 2 * needed : max(nextSize, needed)
        let fresh = RowPage(capacity: size, isWide: isWide || becomesWide, group: group)
        if let base {
            if becomesWide, end > 0 {
                (fresh.start + wide).copyMemory(from: base + used + narrow, byteCount: end - narrow)
                for place in 0..<column {
                    let old = base.loadUnaligned(fromByteOffset: used + place * 2, as: UInt16.self)
                    let begin = UInt64(old & (1 << PackedRow.narrowBits - 1)) + UInt64(shift)
                    let new = UInt64(old >> PackedRow.narrowBits) << PackedRow.wideBits | begin
                    fresh.start.storeBytes(of: new, toByteOffset: place * 8, as: UInt64.self)
                }
            } else if end > 0 {
                fresh.start.copyMemory(from: base + used, byteCount: end)
            }
        }
        if isWide { used = 0 }
        if used > 0 { seal() }
        nextSize = min(RowPage.size, 4 * nextSize)
        (page, base, used, capacity) = (fresh, fresh.start, 0, size)
        end += shift
        isWide = isWide || becomesWide
    }
}
#endif
