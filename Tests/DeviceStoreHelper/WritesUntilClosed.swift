import LarderCore
import LarderDeviceStore
import LarderTestSupport

/// Commits numbers to one key until the store is closed under it: `DeviceStoreHelper untilClosed IO PATH KEY NUMBER`.
enum WritesUntilClosed {
    /// States in shared memory, in the file at `path`, the last number whose commit returned.
    static func run(_ path: String, _ options: DeviceStoreOptions, _ key: String, stating acknowledged: String) throws {
        let last = try SharedNumber(at: acknowledged)
        let store = try DeviceStore(path: path, options: options)
        do {
            for number in Int64(1)... {
                try store.set(.int(number), for: StoreKey(key))
                last.value = number
            }
        } catch let error as StoreError where error.code == .closed {
            try store.close()
        }
    }
}
