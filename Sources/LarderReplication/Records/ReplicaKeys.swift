import LarderCore
import LarderFiles

/// The reserved keys of the records that a replicated store keeps in its replica.
enum ReplicaKeys {
    static let header = StoreKey(reserved: ReservedRecord.replica)
    static let cursor = StoreKey(reserved: ReservedRecord.replica + ".cursor")
    static let next = StoreKey(reserved: ReservedRecord.replica + ".next").rememberingHash()
    static let first = StoreKey(reserved: ReservedRecord.replica + ".first").rememberingHash()
    static let turn = StoreKey(reserved: ReservedRecord.replica + ".turn").rememberingHash()
    static let visible = StoreKey(reserved: ReservedRecord.replica + ".visible").rememberingHash()
    static let earliest = StoreKey(reserved: ReservedRecord.replica + ".earliest").rememberingHash()
    static let rejected = StoreKey(reserved: ReservedRecord.replica + ".rejected")
    static let reserved = StoreKey(reserved: ReservedRecord.replica + ".reserved")

    static func pending(_ number: Int64) -> StoreKey {
        StoreKey(reserved: "\(ReservedRecord.replica).pending:\(number)")
    }

    static func rejected(_ number: Int64) -> StoreKey {
        StoreKey(reserved: "\(ReservedRecord.replica).rejected:\(number)")
    }

    /// The length of the longest key that is part of the key of a record.
    ///
    /// Longer keys are replaced by their hash, because the key of a record has a limited length too.
    private static let longestKey = 1_000

    /// Returns the key of the record that keeps the confirmed entry under `key`.
    static func confirmed(_ key: StoreKey) -> StoreKey { record("confirmed", of: key) }

    /// Returns the key of the record that keeps the expiry of the value under `key`.
    static func expiry(_ key: StoreKey) -> StoreKey { record("expiry", of: key) }

    private static func record(_ name: String, of key: StoreKey) -> StoreKey {
        let text = key.text
        guard text.utf8.count > longestKey else {
            return StoreKey(reserved: "\(ReservedRecord.replica).\(name):\(text)")
        }
        return StoreKey(reserved: "\(ReservedRecord.replica).\(name)#\(hash(text))")
    }

    private static func hash(_ text: String) -> String {
        SHA256.of(text.utf8).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}

extension StoreKey {
    /// The bytes of this key, as an engine keeps them.
    var bytes: [UInt8] { Array(text.utf8) }

    /// Whether the entry under this key is part of the data of the cluster.
    var isReplicated: Bool { !isReserved || ReservedRecord.isReplicated(self) }

    /// Creates the key that an engine keeps as `bytes`.
    ///
    /// - Throws: `StoreError` with code `damaged` if no key of Larder has these bytes.
    init(replicated bytes: [UInt8]) throws {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw StoreError.foreignEntry(bytes) }
        let key = StoreKey(text)
        guard key.isReserved else {
            try key.validate()
            self = key
            return
        }
        self = StoreKey(reserved: String(decoding: bytes.dropFirst("\u{0}larder".utf8.count), as: UTF8.self))
        guard isReplicated else { throw StoreError.foreignEntry(bytes) }
    }
}
