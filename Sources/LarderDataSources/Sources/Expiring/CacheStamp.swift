public import Foundation
public import LarderCore
import LarderFiles

/// A record of when a value was written and when it expires.
///
/// An ``ExpiringDataSource`` stores one record for each value.
public struct CacheStamp: Sendable, Hashable, Codable {
    /// The key of the value that this record describes.
    public let key: String
    /// Whether the value is a list.
    public let isList: Bool
    /// The date when the value was written, according to the wall clock.
    public let writtenAt: Date
    /// The date when the value expires, or `nil` if it never expires.
    public let expiry: Date?
    /// Whether this record marks ``key`` as absent from the main source.
    public let isMissing: Bool

    /// The number of seconds by which ``writtenAt`` may lie in the future without making the value expire.
    ///
    /// The tolerance allows for small corrections of the wall clock.
    static var tolerance: TimeInterval { 60 }

    /// Returns whether the value has expired.
    ///
    /// - Parameter now: The current date, according to the wall clock.
    /// - Returns: `true` if the value has expired, or if ``writtenAt`` is in the future. In the latter case the clock was set back, and
    ///   the age is unknown.
    public func isExpired(at now: Date) -> Bool {
        writtenAt.timeIntervalSince(now) > Self.tolerance || expiry.map { now >= $0 } ?? false
    }

    /// Returns the time from the write of the value to `now`, or zero if `now` is earlier.
    func age(at now: Date) -> Duration { .seconds(max(0, now.timeIntervalSince(writtenAt))) }

    /// Returns the key under which the timestamp of the value for `key` is stored.
    ///
    /// Long keys are replaced by their hash, because stores limit the length of keys.
    static func name(of key: String, isList: Bool) -> String {
        let name = (isList ? "list." : "value.") + key
        return key.utf8.count <= 1_000 ? name : "hash." + hexadecimal(SHA256.of(name.utf8))
    }
}

/// The storage for the timestamps of an ``ExpiringDataSource``.
public struct CacheStamps: Sendable {
    let source: AnyDataSource<CacheStamp>

    /// A storage that holds timestamps in memory.
    ///
    /// After a relaunch, no ages are known and all values are treated as expired.
    public static var memory: CacheStamps { CacheStamps(source: AnyDataSource(InMemoryDataSource<CacheStamp>())) }

    /// Returns a storage that saves timestamps as JSON strings in a store.
    ///
    /// - Parameters:
    ///   - store: A store that can hold strings. It may be the store that holds the values.
    ///   - prefix: A prefix that no other keys in the store begin with, such as "Item-stamps".
    /// - Returns: A storage for timestamps in `store`.
    public static func stored(in store: any KeyValueStore, prefix: String) -> CacheStamps {
        let texts = DeviceStorageDataSource<String>(store, prefix: prefix)
        return CacheStamps(source: AnyDataSource(texts.codable(CacheStamp.self)))
    }
}
