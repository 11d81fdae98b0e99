#if Encryption
import Crypto
import Foundation
import LarderCore
import LarderStores
import LarderTestSupport
import Synchronization
import Testing

/// The key in the example of the format document, which consists of the bytes 00 to 1F.
let exampleKey = SymmetricKey(data: Array(0..<32 as Range<UInt8>))
let otherKey = SymmetricKey(data: [UInt8](repeating: 7, count: 32))

let allOptions = EncryptedStore.Cipher.allCases.flatMap { cipher in
    [false, true].map { EncryptedStore.Options(cipher: cipher, hidesNames: $0) }
}

extension EncryptedStore.Environment {
    /// Returns an environment whose random bytes count up: 00, 01, 02 and so on.
    static func counting() -> EncryptedStore.Environment {
        let next = NextByte()
        var environment = EncryptedStore.Environment()
        environment.randomBytes = { count in (0..<count).map { _ in next.take() } }
        return environment
    }
}

private final class NextByte: Sendable {
    private let next = Mutex<UInt8>(0)

    func take() -> UInt8 {
        next.withLock { next in
            defer { next &+= 1 }
            return next
        }
    }
}

/// Creates a store in which "k" is 1 and whose key was changed from ``exampleKey`` to ``otherKey``.
///
/// Returns the store together with its former and current header.
func storeWithAnotherKey(
    in base: any KeyValueStore
) throws -> (store: EncryptedStore, former: StoredValue, current: StoredValue) {
    let store = try EncryptedStore(base, key: exampleKey)
    try store.set(1, for: "k")
    let former = try #require(try base.get(headerRecord))
    try store.changeKey(to: otherKey)
    return (store, former, try #require(try base.get(headerRecord)))
}

/// A store that claims to be replicated.
struct ReplicatedBase: ForwardingStore {
    let base: any KeyValueStore

    var capabilities: StoreCapabilities {
        var capabilities = base.capabilities
        capabilities.replicates = true
        return capabilities
    }
}

func expectIntact(_ store: any KeyValueStore, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try store.verify().problems == [], sourceLocation: sourceLocation)
}

func expectCode(
    _ code: StoreError.Code,
    key: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) {
    let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) { try body() }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    if let key { #expect(error?.key == key, sourceLocation: sourceLocation) }
}

func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String(format: "%02X", $0) }.joined(separator: " ")
}

extension StoredValue {
    var bytes: Data {
        if case .data(let data) = self { data } else { Data() }
    }
}

/// The keys of the records that the format document defines.
let headerRecord = StoreKey(reserved: ".encrypted")
let epochRecord = StoreKey(reserved: ".encrypted.epoch")
let sessionsRecord = StoreKey(reserved: ".encrypted.sessions")
func saltRecord(_ session: Int) -> StoreKey { StoreKey(reserved: ".encrypted.session.\(session)") }
#endif
