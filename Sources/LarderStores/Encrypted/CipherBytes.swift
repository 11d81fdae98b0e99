#if Encryption
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// swift-crypto's generic functions look up the region types of a buffer or array at run time for each encryption, which takes about 8 % of
// the time to encrypt a small value. Concrete types avoid most of this cost.

/// An unowned, contiguous buffer that can be passed to swift-crypto.
///
/// The buffer must not outlive the underlying memory.
struct CipherBytes: DataProtocol, ContiguousBytes {
    /// The regions of a contiguous buffer, of which there is always exactly one.
    struct Regions: RandomAccessCollection {
        fileprivate let all: CipherBytes

        var startIndex: Int { 0 }
        var endIndex: Int { 1 }
        subscript(position: Int) -> CipherBytes { all }
    }

    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var regions: Regions { Regions(all: self) }
    var startIndex: Int { 0 }
    var endIndex: Int { bytes.count }
    subscript(position: Int) -> UInt8 { bytes[position] }
    subscript(range: Range<Int>) -> CipherBytes { CipherBytes(UnsafeRawBufferPointer(rebasing: bytes[range])) }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(bytes)
    }

    func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        try bytes.withContiguousStorageIfAvailable(body)
    }
}
#endif
