#if Encryption
import Crypto
import Foundation
import LarderCore
import LarderStores
#endif

extension Area {
    /// Writing to an encrypted device store; `nil` without the trait.
    static var encrypted: Row? {
        #if Encryption
        .timed("put an Int into an encrypted store, 1,000 keys") { folder in
            let keys = Keys(1_000).shuffled
            let key = SymmetricKey(size: .bits256)
            let text = [UInt8](repeating: 0x5A, count: 40)
            let nonce = [UInt8](repeating: 1, count: 12)
            let store = try EncryptedStore(DeviceStore(path: folder + "/sealed.larder"), key: key)
            let memory = try EncryptedStore(MemoryStore(), key: key)
            let plain = try DeviceStore(path: folder + "/plain.larder")
            return [
                Contender("one AES-GCM seal of 40 bytes in swift-crypto", operations: keys.count) { _ in
                    for _ in keys { keep(try AES.GCM.seal(text, using: key, nonce: AES.GCM.Nonce(data: nonce))) }
                },
                Contender("EncryptedStore over DeviceStore", operations: keys.count, goal: .timesFirst(1.25)) { round in
                    for key in keys { try store.set(.int(Int64(round)), for: key) }
                },
                Contender("EncryptedStore over MemoryStore", operations: keys.count) { round in
                    for key in keys { try memory.set(.int(Int64(round)), for: key) }
                },
                Contender("DeviceStore alone", operations: keys.count) { round in
                    for key in keys { try plain.set(.int(Int64(round)), for: key) }
                },
            ]
        }
        #else
        nil
        #endif
    }
}
