#if Encryption
import Crypto
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the header of an encrypted store says once it has been opened: how values are sealed, and every data key in use.
struct KeyRing: Sendable {
    struct DataKey: Sendable {
        /// The first session that uses this key.
        let first: UInt32
        let key: SymmetricKey
    }

    let options: EncryptedStore.Options
    let store: [UInt8]
    var epoch: UInt64
    let nameKey: SymmetricKey
    /// In ascending order of their first session, the current one last.
    ///
    /// Never empty.
    var dataKeys: [DataKey]

    /// Sessions below this one were begun under a key that a rotation is about to remove.
    var firstCurrentSession: UInt32 { dataKeys.last?.first ?? 0 }

    /// The key of one session, or `nil` when its data key is no longer there.
    func sessionKey(_ number: UInt32, salt: some DataProtocol) -> SymmetricKey? {
        guard let dataKey = dataKeys.last(where: { $0.first <= number }) else { return nil }
        var info = Array("larder encrypted store 1 session".utf8)
        info.append(options.cipher.formatByte)
        info += store
        info.appendBigEndian(number)
        return HKDF<SHA256>.deriveKey(inputKeyMaterial: dataKey.key, salt: salt, info: info, outputByteCount: 32)
    }
}

extension [UInt8] {
    mutating func appendBigEndian(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
#endif
