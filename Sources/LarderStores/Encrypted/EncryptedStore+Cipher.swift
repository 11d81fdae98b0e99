#if Encryption
import Crypto
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension EncryptedStore {
    /// How values are sealed: both with keys of 256 bits and a tag of 128 bits.
    public enum Cipher: Sendable, Hashable, CaseIterable {
        /// AES-256 in Galois counter mode: the faster one on processors with instructions for AES, which is nearly all.
        case aesGCM
        /// ChaCha20-Poly1305: the faster one, and free of timing leaks, where there are none.
        case chaChaPoly
    }
}

extension EncryptedStore.Cipher {
    static let nonceLength = 12
    static let tagLength = 16

    /// The byte that stands for it in Documentation/Formats/encrypted-store-v1.md.
    var formatByte: UInt8 {
        switch self {
        case .aesGCM: 1
        case .chaChaPoly: 2
        }
    }

    /// Nonce, ciphertext and tag in one piece.
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
            // There is a combined form for every nonce of 12 bytes.
            return box.combined ?? nonce + box.ciphertext + box.tag
        case .chaChaPoly:
            let nonce = try ChaChaPoly.Nonce(data: nonce)
            return try ChaChaPoly.seal(plaintext, using: key, nonce: nonce, authenticating: associated).combined
        }
    }

    /// The plaintext, or `nil` when these bytes were not sealed with this key and this associated data.
    func open(_ sealed: Data, key: SymmetricKey, authenticating associated: some DataProtocol) -> Data? {
        // An empty plaintext is never sealed.
        guard sealed.count > Self.nonceLength + Self.tagLength else { return nil }
        // The library's errors say no more than that it is not so, and `nil` says that: whoever asked knows the key's name and throws.
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
