#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension StoredValue {
    /// A copy of this value that owns the bytes of all its data.
    ///
    /// The copy is needed because the caller's data may be a slice that keeps a large buffer in memory, or may be freed or overwritten
    /// later.
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
