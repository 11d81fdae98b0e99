#if Encryption
import Crypto
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The decrypted header of an encrypted store, which contains the store's options and all data keys in use.
struct KeyRing: Sendable {
    struct DataKey: Sendable {
        /// The number of the first write session that uses this data key.
        let first: UInt32
        let key: SymmetricKey
    }

    let options: EncryptedStore.Options
    let store: [UInt8]
    var epoch: UInt64
    let nameKey: SymmetricKey
    /// The data keys in ascending order of their first session.
    ///
    /// The last key is the current one. The array is never empty.
    var dataKeys: [DataKey]

    /// The number of the first write session that uses the current data key.
    ///
    /// A key rotation re-encrypts the values of earlier sessions.
    var firstCurrentSession: UInt32 { dataKeys.last?.first ?? 0 }

    /// Returns the encryption key of write session `number`, or `nil` if the session's data key was removed.
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
