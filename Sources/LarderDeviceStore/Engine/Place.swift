import Foundation
import LarderCore
import LarderFiles

/// The constant properties of an engine, such as the path of the store.
struct Place: Sendable {
    let path: String
    let environment: DeviceEnvironment
    /// The I/O method for writing commits.
    let io: DeviceStoreOptions.IO
    /// The corruption found when the store was opened, or `nil` if there was none.
    let damage: DeviceStoreDamage?

    /// The current time in milliseconds since 1970.
    var now: Int64 { environment.now }

    func isExpired(_ expiry: Int64) -> Bool { expiry != .max && expiry <= now }

    /// Reads a value that is not kept in memory from the log file.
    func load(_ value: DeviceLog.Value) throws -> StoredValue {
        do { return try value.load() } catch { throw StoreError.device(error, path) }
    }
}

extension DeviceEnvironment {
    /// The current time in milliseconds since 1970, rounded down.
    var now: Int64 { Int64((time.now.timeIntervalSince1970 * 1000).rounded(.down)) }
}
