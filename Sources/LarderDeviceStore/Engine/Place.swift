import Foundation
import LarderCore
import LarderFiles

/// What never changes while an engine lives.
struct Place: Sendable {
    let path: String
    let environment: DeviceEnvironment
    /// How commits are written.
    let io: DeviceStoreOptions.IO
    /// What salvage found when the store was opened.
    let damage: DeviceStoreDamage?

    /// Milliseconds since 1970.
    var now: Int64 { environment.now }

    func isExpired(_ expiry: Int64) -> Bool { expiry != .max && expiry <= now }

    /// Reads a value that was left in the file.
    func load(_ value: DeviceLog.Value) throws -> StoredValue {
        do { return try value.load() } catch { throw StoreError.device(error, path) }
    }
}

extension DeviceEnvironment {
    /// Milliseconds since 1970.
    var now: Int64 { Int64((time.now.timeIntervalSince1970 * 1000).rounded(.down)) }
}
