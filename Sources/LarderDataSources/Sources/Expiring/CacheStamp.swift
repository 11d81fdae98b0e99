public import Foundation
public import LarderCore
import LarderFiles

/// A record of when a value was written and when it expires.
///
/// An ``ExpiringDataSource`` stores one record for each value.
public struct CacheStamp: Sendable, Hashable, Codable {
    /// The key under which the value is stored.
    public let key: String
    /// Whether the value is a list.
    public let isList: Bool
    /// The date when the value was written, according to the wall clock.
    public let writtenAt: Date
    /// The date until which the value may be used, or `nil` for no limit.
    public let expiry: Date?
    /// Whether this time stamp records that the value is missing.
    public let isMissing: Bool

    /// The number of seconds by which a time stamp may lie in the future, to allow for a clock that was set back.
    static var tolerance: TimeInterval { 60 }

    /// Returns whether the value has expired.
    ///
    /// - Parameter now: The current date, according to the wall clock.
    /// - Returns: `true` if the value has expired. Also `true` if its time stamp lies in the future, because the clock was set back and the
    ///   age is unknown.
    public func isExpired(at now: Date) -> Bool {
        writtenAt.timeIntervalSince(now) > Self.tolerance || expiry.map { now >= $0 } ?? false
    }

    /// Returns the age of the value at a given date.
    func age(at now: Date) -> Duration { .seconds(max(0, now.timeIntervalSince(writtenAt))) }

    /// Returns the name under which the time stamp for a key is stored.
    ///
    /// Long keys are replaced by their hash, because stores limit the length of keys.
    static func name(of key: String, isList: Bool) -> String {
        let name = (isList ? "list." : "value.") + key
        return key.utf8.count <= 1_000 ? name : "hash." + hexadecimal(SHA256.of(name.utf8))
    }
}

/// The storage for the time stamps of an ``ExpiringDataSource``.
public struct CacheStamps: Sendable {
    let source: AnyDataSource<CacheStamp>

    /// Keeps time stamps in memory.
    ///
    /// After a relaunch, no ages are known and all values are treated as expired.
    public static var memory: CacheStamps { CacheStamps(source: AnyDataSource(InMemoryDataSource<CacheStamp>())) }

    /// Returns a storage that keeps time stamps as JSON strings in a store.
    ///
    /// - Parameters:
    ///   - store: A store that can hold strings. It may be the store that holds the values.
    ///   - prefix: A prefix that no other keys in the store begin with, such as "Item-stamps".
    /// - Returns: A storage for time stamps in `store`.
    public static func stored(in store: any KeyValueStore, prefix: String) -> CacheStamps {
        let texts = DeviceStorageDataSource<String>(store, prefix: prefix)
        return CacheStamps(source: AnyDataSource(texts.codable(CacheStamp.self)))
    }
}
