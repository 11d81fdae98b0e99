#if Encryption
import Crypto
import Foundation
import LarderCore
import LarderReplication
import LarderStores
import LarderTesting
import Testing

let firstKey = SymmetricKey(data: Array(0..<32 as Range<UInt8>))
let secondKey = SymmetricKey(data: [UInt8](repeating: 7, count: 32))

extension Machine {
    /// Opens the encrypted store of this machine in a new instance.
    func encrypted(key: SymmetricKey = firstKey, hidesNames: Bool = false) throws -> EncryptedStore {
        try EncryptedStore(store, key: key, options: .init(hidesNames: hidesNames))
    }

    /// Applies the commits of the cluster without sending any.
    func applyAll() async throws {
        while try await store.pull() != .idle {}
    }

    /// Checks that this machine has the entries of the cluster, and that a new instance can decrypt all of them.
    func expectReadable(
        in cluster: SimulatedCluster,
        key: SymmetricKey = firstKey,
        hidesNames: Bool = false
    ) throws {
        try expectAgreement(with: cluster)
        #expect(try encrypted(key: key, hidesNames: hidesNames).verify().problems == [])
    }
}

extension SimulatedCluster {
    /// Checks that no two values in the history, or in the lists of rejected commits, have the same salt and nonce.
    func expectDistinctNonces(and machines: Machine...) throws {
        var sealed = try history.flatMap(\.writes).filter { !$0.key.starts(with: "\u{0}larder".utf8) }
            .compactMap { try $0.value.map { try StoredValue(decoding: $0) } }
        for machine in machines {
            sealed += try machine.store.rejected().flatMap { $0.writes.compactMap(\.value) }
        }
        let nonces = sealed.map { value in
            if case .data(let data) = value { data.prefix(28) } else { Data() }
        }
        #expect(!nonces.isEmpty)
        #expect(Set(nonces).count == nonces.count)
    }
}

func expectCode(
    _ code: StoreError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) {
    let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) { try body() }
    #expect(error?.code == code, sourceLocation: sourceLocation)
}
#endif
