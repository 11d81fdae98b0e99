import LarderCore
import LarderDeviceStore
import LarderTestSupport

/// Commits numbers under one key until the store is closed: `DeviceStoreHelper untilClosed IO PATH KEY NUMBER`.
enum WritesUntilClosed {
    /// Writes numbers to the store.
    ///
    /// Stores the last number whose commit returned in shared memory, in the file at `acknowledged`.
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
