import Foundation
import LarderCore
import LarderDeviceStore
import LarderStores
import LarderTestSupport

/// One migration after the other, each into a store of its own.
enum RepeatedMigration {
    /// Migrates until it is killed, and states the number of each migration that was done in shared memory.
    static func run(_ source: String, _ options: DeviceStoreOptions, into folder: String, stating path: String) throws {
        let done = try SharedNumber(at: path)
        func file(_ number: Int64) -> String { "\(folder)/s\(number).larder" }
        while true {
            let number = done.value + 1
            let store = try DeviceStore(path: file(number), options: options)
            _ = try StoreMigration("s", fromPropertyListAt: source).run(into: store)
            done.value = number
            try store.close()
            // Only the last one is looked at; all of them would fill a disk.
            for name in [file(number - 1), file(number - 1) + ".ctl"] { unlink(name) }
        }
    }
}
