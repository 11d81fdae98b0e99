import Foundation
import LarderCore
import LarderFiles

/// The properties of a store's engine that don't change while the store is open, such as its path.
struct Place: Sendable {
    let path: String
    let environment: DeviceEnvironment
    /// The I/O method for writing commits.
    let io: DeviceStoreOptions.IO
    /// The corruption found when the store was opened, or `nil` if there was none.
    let damage: DeviceStoreDamage?

    /// The wall-clock time in milliseconds since 1970.
    var now: Int64 { environment.now }

    func isExpired(_ expiry: Int64) -> Bool { expiry != .max && expiry <= now }

    /// Reads a large value, which is stored only in the log and not in memory.
    func load(_ value: DeviceLog.Value) throws -> StoredValue {
        do { return try value.load() } catch { throw StoreError.device(error, path) }
    }

    /// Reads the beginning of a large value and its size, or the whole value if it is not longer than `longest` bytes.
    ///
    /// The size is `nil` if the value is whole.
    func load(_ value: DeviceLog.Value, longest: Int?) throws -> (value: StoredValue, size: Int?) {
        do {
            if let longest, let (beginning, size) = try value.beginning(longest) { return (beginning, size) }
            return (try value.load(), nil)
        } catch {
            throw StoreError.device(error, path)
        }
    }
}

extension DeviceEnvironment {
    /// The wall-clock time in milliseconds since 1970, rounded down.
    var now: Int64 { Int64((time.now.timeIntervalSince1970 * 1000).rounded(.down)) }
}
