#if Encryption
/// The salt of a session that has no record, which each entry of the session contains.
///
/// Two sessions with the same salt would use the same nonces. Of 2^32 sessions, two have the same 128 random bits with a probability of
/// 2^-65.
struct SessionSalt: Hashable, Sendable {
    static let length = 16
    private let first: UInt64
    private let second: UInt64

    /// Creates a salt from its bytes, of which there must be ``length`` or more.
    init(_ bytes: UnsafeRawBufferPointer) {
        first = bytes.loadUnaligned(as: UInt64.self)
        second = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    }

    /// Calls `body` with the bytes of this salt.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withUnsafeBytes(of: (first, second)) { try body($0) }
    }

    var bytes: [UInt8] { withBytes { Array($0) } }
}
#endif
