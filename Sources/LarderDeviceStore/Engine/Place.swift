import Foundation
import LarderCore
import LarderFiles

/// The properties of an engine that never change after it is opened, such as the path of the store and its environment.
struct Place: Sendable {
    let path: String
    let environment: DeviceEnvironment
    /// The I/O method for writing commits.
    let io: DeviceStoreOptions.IO
    /// The damage found when the store was opened.
    let damage: DeviceStoreDamage?

    /// The current time in milliseconds since 1970.
    var now: Int64 { environment.now }

    func isExpired(_ expiry: Int64) -> Bool { expiry != .max && expiry <= now }

    /// Reads a value that is stored only in the log file, not in memory.
    func load(_ value: DeviceLog.Value) throws -> StoredValue {
        do { return try value.load() } catch { throw StoreError.device(error, path) }
    }
}

extension DeviceEnvironment {
    /// The current time in milliseconds since 1970, rounded down.
    var now: Int64 { Int64((time.now.timeIntervalSince1970 * 1000).rounded(.down)) }
}
