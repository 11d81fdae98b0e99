#if Encryption
import Crypto
import LarderCore
import LarderDeviceStore
import LarderStores

/// An encrypted store whose data key and user key change while it is written.
///
/// The user key alternates between two fixed keys.
///
/// If the process is killed during a rotation, the next process completes the rotation.
final class ChangingKeys {
    let store: EncryptedStore
    /// The index of the user key that currently opens the store.
    private var current: Int

    private static let keys = [0, 100].map { first in SymmetricKey(data: (first..<first + 32).map { UInt8($0) }) }
    /// The time of the next change.
    ///
    /// The interval is as long as the last change took, but short, because the process is killed within milliseconds.
    private var next = ContinuousClock.now
    private static let longestPause = Duration.milliseconds(3)

    /// Opens the store with the key that is currently valid.
    init(_ base: DeviceStore) throws {
        do {
            store = try EncryptedStore(base, key: Self.keys[0])
            current = 0
        } catch let error as StoreError where error.code == .wrongKey {
            store = try EncryptedStore(base, key: Self.keys[1])
            current = 1
        }
    }

    /// Changes both keys if the time of the next change has passed.
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
