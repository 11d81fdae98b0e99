#if Encryption
import Crypto
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The decrypted header of an encrypted store, which contains the store's options and all data keys in use.
struct KeyRing: Sendable {
    /// The place of the salts of sessions, which is the version of the format.
    enum SaltPlacement: UInt8, Sendable {
        /// Each session has a number and a record with its salt.
        case records = 1
        /// Each entry contains the salt of its session.
        ///
        /// In place of the session's number, an entry contains the number of its data key. A session needs no commit, so sessions of several
        /// machines never conflict.
        case entries = 2
    }

    struct DataKey: Sendable {
        /// The number of the first write session that uses this data key.
        ///
        /// If salts are in the entries, this is the number of the data key.
        let first: UInt32
        let key: SymmetricKey
    }

    let salts: SaltPlacement
    let options: EncryptedStore.Options
    let store: [UInt8]
    var epoch: UInt64
    let nameKey: SymmetricKey
    /// The data keys in ascending order of their first session.
    ///
    /// The last key is the current one. The array is never empty.
    var dataKeys: [DataKey]

    /// The number of the first write session that uses the current data key, or the number of that data key.
    ///
    /// A key rotation re-encrypts the values of earlier sessions.
    var firstCurrentSession: UInt32 { dataKeys.last?.first ?? 0 }

    /// Returns whether the data key of an entry with this number was removed.
    func isRemoved(_ number: UInt32) -> Bool { number < dataKeys.first?.first ?? 0 }

    /// Returns the encryption key of write session `number`, or `nil` if the session's data key was removed.
    func sessionKey(_ number: UInt32, salt: some DataProtocol) -> SymmetricKey? {
        guard let dataKey = dataKeys.last(where: { $0.first <= number }) else { return nil }
        var info = Array("larder encrypted store \(salts.rawValue) session".utf8)
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
