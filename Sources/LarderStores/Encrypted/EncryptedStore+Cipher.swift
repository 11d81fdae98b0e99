#if Encryption
import Crypto
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension EncryptedStore {
    /// The algorithm that encrypts and authenticates values.
    ///
    /// Both algorithms use 256-bit keys and 128-bit tags.
    public enum Cipher: Sendable, Hashable, CaseIterable {
        /// AES-256-GCM, which is faster on processors with AES instructions, that is, on nearly all processors.
        case aesGCM
        /// ChaCha20-Poly1305, which is faster and safe from timing attacks on processors without AES instructions.
        case chaChaPoly
    }
}

extension EncryptedStore.Cipher {
    static let nonceLength = 12
    static let tagLength = 16

    /// The byte that identifies the cipher in a store's header; see `Documentation/Formats/encrypted-store-v1.md`.
    var formatByte: UInt8 {
        switch self {
        case .aesGCM: 1
        case .chaChaPoly: 2
        }
    }

    /// Encrypts a value, and returns the nonce, the ciphertext and the tag as contiguous bytes.
    func seal(
        _ plaintext: UnsafeRawBufferPointer,
        key: SymmetricKey,
        nonce: UnsafeRawBufferPointer,
        authenticating associated: UnsafeRawBufferPointer
    ) throws -> Data {
        let (plaintext, associated) = (CipherBytes(plaintext), CipherBytes(associated))
        switch self {
        case .aesGCM:
            let nonce = try AES.GCM.Nonce(data: nonce)
            let box = try AES.GCM.seal(plaintext, using: key, nonce: nonce, authenticating: associated)
            // The combined form exists for every nonce of 12 bytes.
            return box.combined ?? nonce + box.ciphertext + box.tag
        case .chaChaPoly:
            let nonce = try ChaChaPoly.Nonce(data: nonce)
            return try ChaChaPoly.seal(plaintext, using: key, nonce: nonce, authenticating: associated).combined
        }
    }

    /// Decrypts a sealed value, or returns `nil` if the value was not encrypted with the given key and associated data.
    func open(_ sealed: Data, key: SymmetricKey, authenticating associated: some DataProtocol) -> Data? {
        // The plaintext of an entry is never empty.
        guard sealed.count > Self.nonceLength + Self.tagLength else { return nil }
        // CryptoKit's errors carry no detail beyond "not authentic", so `nil` is sufficient. Callers throw an error that names the entry's
        // key.
        switch self {
        case .aesGCM:
            guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
            return try? AES.GCM.open(box, using: key, authenticating: associated)
        case .chaChaPoly:
            guard let box = try? ChaChaPoly.SealedBox(combined: sealed) else { return nil }
            return try? ChaChaPoly.open(box, using: key, authenticating: associated)
        }
    }
}
#endif
