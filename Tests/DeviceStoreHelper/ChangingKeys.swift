#if Encryption
import Crypto
import LarderCore
import LarderDeviceStore
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
    /// When it is time again: after as long as it took, and soon, for who is to be killed is killed milliseconds after a write.
    private var next = ContinuousClock.now
    private static let longestPause = Duration.milliseconds(3)

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
    func change() throws {
        let start = ContinuousClock.now
        guard start >= next else { return }
        try store.rotateDataKey()
        try store.changeKey(to: Self.keys[1 - current])
        current = 1 - current
        let end = ContinuousClock.now
        next = end + min(end - start, Self.longestPause)
    }
}
#endif
