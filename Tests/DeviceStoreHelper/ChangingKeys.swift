#if Encryption
import Crypto
import LarderCore
import LarderStores

/// An encrypted store whose keys change while it is written: the data key, and the user's, of which there are two that everybody
/// knows.
///
/// Whoever is killed meanwhile leaves a rotation that the next one completes.
final class ChangingKeys {
    let store: EncryptedStore
    /// Which of the user's keys opens it now.
    private var current: Int

    private static let keys = [0, 100].map { first in SymmetricKey(data: (first..<first + 32).map { UInt8($0) }) }
    /// Writing that often takes about as long as changing the keys once.
    private static let interval: Int64 = 256

    /// Opens it with whichever key it was left with.
    init(_ base: DeviceStore) throws {
        do {
            store = try EncryptedStore(base, key: Self.keys[0])
            current = 0
        } catch let error as StoreError where error.code == .wrongKey {
            store = try EncryptedStore(base, key: Self.keys[1])
            current = 1
        }
    }

    /// Changes both keys, when it is time.
    func change(after number: Int64) throws {
        guard number % Self.interval == 0 else { return }
        try store.rotateDataKey()
        try store.changeKey(to: Self.keys[1 - current])
        current = 1 - current
    }
}
#endif
