#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension StoredValue {
    /// The same value, none of whose bytes lie in memory of the caller's.
    ///
    /// What a caller hands over may be a few bytes of very many, which would stay for them, or lie in memory that the caller
    /// frees or writes to afterwards.
    @inlinable @inline(__always)
    package var withOwnBytes: StoredValue {
        switch self {
        case .data, .array, .dictionary: withBytesCopied
        default: self
        }
    }

    @usableFromInline @inline(never)
    var withBytesCopied: StoredValue {
        switch self {
        case .data(let data):
            let copy = data.withUnsafeBytes { bytes in bytes.baseAddress.map { Data(bytes: $0, count: bytes.count) } }
            return .data(copy ?? Data())
        case .array(let elements):
            return hasData ? .array(elements.map(\.withOwnBytes)) : self
        case .dictionary(var entries):
            guard hasData else { return self }
            for entry in entries where entry.value.hasData { entries[entry.key] = entry.value.withOwnBytes }
            return .dictionary(entries)
        default:
            return self
        }
    }

    private var hasData: Bool {
        switch self {
        case .data: true
        case .array(let elements): elements.contains(where: \.hasData)
        case .dictionary(let entries): entries.contains { $0.value.hasData }
        default: false
        }
    }
}
