#if Encryption
import Crypto
import LarderCore
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Reading and writing the header that `Documentation/Formats/encrypted-store-v1.md` defines.
extension KeyRing {
    private static let magic = Array("LES".utf8)
    private static let checkLength = 16
    private static let keyLength = 32
    static let storeLength = 16
    /// The length in bytes of the authenticated part of the header: magic bytes, version, cipher, name hiding, store identifier and epoch.
    private static let authenticatedLength = magic.count + 3 + storeLength + 8
    private static let openLength = authenticatedLength + checkLength

    /// Encodes this key ring as the header of a store.
    ///
    /// The data keys in the header are encrypted with `userKey`.
    func header(userKey: SymmetricKey, nonce: [UInt8]) throws -> Data {
        var header = Self.magic
        header.append(salts.rawValue)
        header.append(options.cipher.formatByte)
        header.append(options.hidesNames ? 1 : 0)
        header += store
        header.appendBigEndian(epoch)
        var ring = nameKey.bytes
        for dataKey in dataKeys {
            ring.appendBigEndian(dataKey.first)
            ring += dataKey.key.bytes
        }
        let key = Self.derive(userKey, store: store, purpose: "ring", salts)
        let sealed = try ring.withUnsafeBytes { ring in
            try nonce.withUnsafeBytes { nonce in
                try header.withUnsafeBytes {
                    try options.cipher.seal(ring, key: key, nonce: nonce, authenticating: $0)
                }
            }
        }
        return Data(header + Self.check(userKey, store: store, salts)) + sealed
    }

    /// Creates a key ring by decrypting the header of a store with `userKey`.
    ///
    /// - Throws: `StoreError` with code `wrongKey`, `newerFormat` or `damaged`.
    init(header: Data, userKey: SymmetricKey) throws {
        let bytes = [UInt8](header)
        guard bytes.starts(with: Self.magic), bytes.count > Self.magic.count else { throw StoreError.damagedHeader }
        guard let salts = SaltPlacement(rawValue: bytes[Self.magic.count]) else { throw StoreError.newerEncryption }
        guard bytes.count > Self.openLength,
            let cipher = EncryptedStore.Cipher.allCases.first(where: { $0.formatByte == bytes[4] }), bytes[5] <= 1
        else { throw StoreError.damagedHeader }
        self.salts = salts
        options = EncryptedStore.Options(cipher: cipher, hidesNames: bytes[5] == 1)
        store = Array(bytes[6..<22])
        epoch = bytes[22..<Self.authenticatedLength].reduce(0) { $0 << 8 | UInt64($1) }
        let check = Self.check(userKey, store: store, salts)
        let isChecked = check == Array(bytes[Self.authenticatedLength..<Self.openLength])
        guard
            let ring = cipher.open(
                Data(bytes[Self.openLength...]),
                key: Self.derive(userKey, store: store, purpose: "ring", salts),
                authenticating: bytes[..<Self.authenticatedLength]
            )
        else { throw isChecked ? StoreError.damagedHeader : StoreError.wrongKey }
        var rest = [UInt8](ring)[...]
        nameKey = SymmetricKey(data: Array(rest.prefix(Self.keyLength)))
        rest = rest.dropFirst(Self.keyLength)
        dataKeys = []
        while rest.count >= 4 + Self.keyLength {
            let first = rest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
            dataKeys.append(
                DataKey(first: first, key: SymmetricKey(data: Array(rest.dropFirst(4).prefix(Self.keyLength))))
            )
            rest = rest.dropFirst(4 + Self.keyLength)
        }
        guard isChecked, rest.isEmpty, !dataKeys.isEmpty else { throw StoreError.damagedHeader }
    }

    private static func check(_ userKey: SymmetricKey, store: [UInt8], _ salts: SaltPlacement) -> [UInt8] {
        Array(derive(userKey, store: store, purpose: "check", salts).bytes.prefix(checkLength))
    }

    private static func derive(
        _ userKey: SymmetricKey,
        store: [UInt8],
        purpose: String,
        _ salts: SaltPlacement
    ) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: userKey,
            salt: store,
            info: Array("larder encrypted store \(salts.rawValue) \(purpose)".utf8),
            outputByteCount: keyLength
        )
    }
}

extension SymmetricKey {
    fileprivate var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
}
#endif
