#if Encryption
import Crypto
import LarderCore
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The format of an encrypted value in the base store, as defined in the section "Sealed entry" of
/// `Documentation/Formats/encrypted-store-v1.md`.
enum SealedEntry {
    struct Contents {
        let name: String
        let value: StoredValue
    }

    private static let nameLengthSize = 2

    /// Returns the number of the writer session that encrypted the entry, or the number of its data key if the salt is in the entry.
    ///
    /// Returns `nil` if `stored` is not an encrypted entry.
    static func session(of stored: StoredValue, _ salts: KeyRing.SaltPlacement) -> UInt32? {
        guard case .data(let sealed) = stored,
            sealed.count > salts.lengthInEntry + EncryptedStore.Cipher.nonceLength + EncryptedStore.Cipher.tagLength
        else { return nil }
        return sealed.dropFirst(salts.lengthInEntry).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Returns the salt in an entry that has a session according to ``session(of:_:)``, or `nil` if salts are in records.
    static func salt(of sealed: Data, _ salts: KeyRing.SaltPlacement) -> SessionSalt? {
        salts == .entries ? sealed.withUnsafeBytes { SessionSalt($0) } : nil
    }

    /// Encrypts a value, together with `name` if it is not `nil`.
    ///
    /// - Throws: `StoredValueFormatError` if the value can't be encoded, which is not expected for a validated value.
    static func seal(
        _ value: StoredValue,
        at baseKey: StoreKey,
        sealingName name: String?,
        cipher: EncryptedStore.Cipher,
        by seals: ReservedSeals
    ) throws -> StoredValue {
        let nameSize = name.map { nameLengthSize + $0.utf8.count } ?? 0
        let size = nameSize + value.encodedSize
        return try withUnsafeTemporaryAllocation(byteCount: max(1, size), alignment: 8) { plaintext in
            if let name {
                plaintext.storeBytes(of: UInt16(truncatingIfNeeded: name.utf8.count).bigEndian, as: UInt16.self)
                UnsafeMutableRawBufferPointer(rebasing: plaintext[nameLengthSize..<nameSize]).copyBytes(from: name.utf8)
            }
            if let start = plaintext.baseAddress { _ = try value.encode(to: start + nameSize) }
            return try baseKey.withBytes { associated in
                try withUnsafeTemporaryAllocation(byteCount: EncryptedStore.Cipher.nonceLength, alignment: 8) { nonce in
                    nonce.storeBytes(of: seals.session.bigEndian, as: UInt32.self)
                    nonce.storeBytes(of: seals.counter.bigEndian, toByteOffset: 4, as: UInt64.self)
                    let sealed = try cipher.seal(
                        UnsafeRawBufferPointer(rebasing: plaintext[..<size]),
                        key: seals.key,
                        nonce: UnsafeRawBufferPointer(nonce),
                        authenticating: associated
                    )
                    return .data(seals.salt.map { Data($0.bytes) + sealed } ?? sealed)
                }
            }
        }
    }

    /// Decrypts an entry, or returns `nil` if the entry was not encrypted with `key` for `baseKey`.
    static func open(
        _ sealed: Data,
        at baseKey: String,
        ring: KeyRing,
        key: SymmetricKey
    ) -> Contents? {
        let options = ring.options
        let sealed = ring.salts == .entries ? Data(sealed.dropFirst(SessionSalt.length)) : sealed
        var associated = baseKey
        let opened = associated.withUTF8 {
            options.cipher.open(sealed, key: key, authenticating: CipherBytes(UnsafeRawBufferPointer($0)))
        }
        guard let plaintext = opened else { return nil }
        // Invalid plaintext returns `nil` too, because callers report both cases as corruption.
        guard options.hidesNames else {
            return (try? StoredValue(decoding: plaintext)).map { Contents(name: baseKey, value: $0) }
        }
        let length = plaintext.prefix(nameLengthSize).reduce(0) { $0 << 8 | Int($1) }
        guard plaintext.count >= nameLengthSize + length,
            let name = String(validating: plaintext.dropFirst(nameLengthSize).prefix(length), as: UTF8.self),
            let value = try? StoredValue(decoding: plaintext.dropFirst(nameLengthSize + length))
        else { return nil }
        return Contents(name: name, value: value)
    }
}

extension KeyRing.SaltPlacement {
    /// The number of bytes of the salt in each entry.
    fileprivate var lengthInEntry: Int { self == .entries ? SessionSalt.length : 0 }
}
#endif
