#if Encryption
import Crypto
import Foundation
import LarderCore
import LarderDeviceStore
import LarderStores
#endif

extension Area {
    /// A row that measures writes to an encrypted device store, or `nil` if the trait `Encryption` is disabled.
    static var encrypted: Row? {
        #if Encryption
        .timed("put an Int into an encrypted store, 1,000 keys") { folder in
            let keys = Keys(1_000).shuffled
            let associated = keys.map { Array($0.utf8) }
            let key = SymmetricKey(size: .bits256)
            let value = [UInt8](repeating: 0x5A, count: 4)
            let text = [UInt8](repeating: 0x5A, count: 40)
            let nonce = [UInt8](repeating: 1, count: 12)
            let memory = try EncryptedStore(MemoryStore(), key: key)
            let file = try RawFile(folder + "/raw")
            var contenders = [
                Contender("one AES-GCM seal of 40 bytes in swift-crypto", operations: keys.count) { _ in
                    for _ in keys { keep(try AES.GCM.seal(text, using: key, nonce: AES.GCM.Nonce(data: nonce))) }
                },
                // This is the part of a put that swift-crypto performs. Nothing is stored.
                Contender("the same for 4 bytes, with the associated data of a value", operations: keys.count) { _ in
                    for name in associated {
                        let nonce = try AES.GCM.Nonce(data: nonce)
                        keep(try AES.GCM.seal(value, using: key, nonce: nonce, authenticating: name))
                    }
                },
                // This is the lower limit for an encrypted store that writes by system calls.
                Contender("one such seal and one pwrite of 48 bytes", operations: keys.count) { round in
                    for _ in keys {
                        keep(try AES.GCM.seal(text, using: key, nonce: AES.GCM.Nonce(data: nonce)))
                        try file.write(round)
                    }
                },
            ]
            for io in DeviceStoreOptions.IO.allCases {
                let base = try DeviceStore(path: "\(folder)/sealed-\(io).larder", options: options(io))
                let store = try EncryptedStore(base, key: key)
                let plain = try DeviceStore(path: "\(folder)/plain-\(io).larder", options: options(io))
                contenders += [
                    Contender(
                        "EncryptedStore over DeviceStore, \(io)",
                        operations: keys.count,
                        goal: .timesFirst(1.25),
                        prepare: { try base.compact() }
                    ) { round in
                        for key in keys { try store.set(.int(Int64(round)), for: key) }
                    },
                    Contender("DeviceStore alone, \(io)", operations: keys.count, prepare: { try plain.compact() }) {
                        round in
                        for key in keys { try plain.set(.int(Int64(round)), for: key) }
                    },
                ]
            }
            contenders.append(
                Contender("EncryptedStore over MemoryStore", operations: keys.count) { round in
                    for key in keys { try memory.set(.int(Int64(round)), for: key) }
                }
            )
            return contenders
        }
        #else
        nil
        #endif
    }
}
