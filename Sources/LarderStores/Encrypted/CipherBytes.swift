#if Encryption
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Bytes in one piece, as swift-crypto takes them, valid as long as the memory they lie in.
///
/// Its calls are generic and not specialized for anybody: of a buffer or an array they ask the runtime, seal by seal, what types its
/// regions are made of, which takes about 8 % of sealing a small value. Here nothing is generic, so that there is less to ask.
struct CipherBytes: DataProtocol, ContiguousBytes {
    /// The only region there is: all of it.
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
