#if Objects
internal import Foundation

/// A reader that assembles records from leaf pages and overflow pages.
struct RecordReader {
    /// The result of reading a record.
    enum Outcome {
        case values([ColumnValue])
        /// The values of a record whose last overflow page contains only zeros, which suggests that the page was erased.
        case erased([ColumnValue])
        /// An invalid record, or a record with an overflow page that can't be read.
        case unreadable
    }

    let file: PageFile

    func read(_ cell: BTreePage.Cell, in page: [UInt8]) -> Outcome {
        guard let overflow = cell.overflow else {
            return Self.values(page, cell.local).map { .values($0) } ?? .unreadable
        }
        // A corrupt size must not reserve more memory than the file has bytes.
        guard cell.payloadSize <= file.count * file.usableSize else { return .unreadable }
        var payload = Array(page[cell.local])
        payload.reserveCapacity(cell.payloadSize)
        var number = overflow
        var isErased = false
        while payload.count < cell.payloadSize {
            guard number > 1, let bytes = file.page(number) else { return .unreadable }
            let rest = cell.payloadSize - payload.count
            payload += bytes[4..<min(4 + rest, file.usableSize)]
            number = bytes.uint32(at: 0)
            // An overflow chain that is too short, too long or cyclic does not belong to this record.
            guard (number == 0) == (payload.count == cell.payloadSize) else { return .unreadable }
            isErased = bytes.allSatisfy { $0 == 0 }
        }
        guard let values = Self.values(payload, 0..<payload.count) else { return .unreadable }
        return isErased ? .erased(values) : .values(values)
    }

    /// Returns the numbers of a record's overflow pages, up to the first page that does not exist.
    func overflowPages(of cell: BTreePage.Cell) -> [Int] {
        var pages: [Int] = []
        var number = cell.overflow ?? 0
        var rest = cell.payloadSize - cell.local.count
        while rest > 0, number > 1, let bytes = file.page(number) {
            pages.append(number)
            rest -= file.usableSize - 4
            number = bytes.uint32(at: 0)
        }
        return pages
    }

    /// Returns the serial types of a record's values, or `nil` if the record's header extends to an overflow page.
    static func types(_ cell: BTreePage.Cell, in page: [UInt8]) -> [UInt64]? { header(page, cell.local)?.types }

    private static func header(_ bytes: [UInt8], _ range: Range<Int>) -> (types: [UInt64], end: Int)? {
        guard let size = bytes.varint(at: range.lowerBound, before: range.upperBound),
            size.value <= UInt64(range.count)
        else { return nil }
        let end = range.lowerBound + Int(size.value)
        var place = size.next
        var types: [UInt64] = []
        while place < end {
            guard let type = bytes.varint(at: place, before: end) else { return nil }
            types.append(type.value)
            place = type.next
        }
        return place == end ? (types, end) : nil
    }

    /// Returns the values of a record, or `nil` if the values do not fill the range exactly or a string is not valid UTF-8.
    static func values(_ bytes: [UInt8], _ range: Range<Int>) -> [ColumnValue]? {
        guard let (types, start) = header(bytes, range) else { return nil }
        var place = start
        var values: [ColumnValue] = []
        values.reserveCapacity(types.count)
        for type in types {
            guard let size = size(type), size <= range.upperBound - place else { return nil }
            switch type {
            case 0: values.append(.null)
            case 1...6: values.append(.integer(bytes.integer(at: place, count: size)))
            case 7:
                let bits = UInt64(bitPattern: bytes.integer(at: place, count: 8))
                values.append(.real(Double(bitPattern: bits)))
            case 8, 9: values.append(.integer(Int64(type) - 8))
            case let type where type % 2 == 0: values.append(.blob(Data(bytes[place..<place + size])))
            default:
                guard let text = String(validating: bytes[place..<place + size], as: UTF8.self) else { return nil }
                values.append(.text(text))
            }
            place += size
        }
        return place == range.upperBound ? values : nil
    }

    /// Returns the size in bytes of a value with the given serial type, or `nil` if the type is undefined or the size is impossible.
    private static func size(_ type: UInt64) -> Int? {
        switch type {
        case 0, 8, 9: 0
        case 1...4: Int(type)
        case 5: 6
        case 6, 7: 8
        case 10, 11: nil
        default: type <= UInt64(Int32.max) * 2 ? Int(type - 12) / 2 : nil
        }
    }
}
#endif
