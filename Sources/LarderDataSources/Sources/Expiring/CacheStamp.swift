public import Foundation
public import LarderCore
import LarderFiles

/// When a value was written, and until when it may be used: kept beside the value by an ``ExpiringDataSource``.
public struct CacheStamp: Sendable, Hashable, Codable {
    /// The key of the value, as the source has it.
    public let key: String
    /// Whether it is a list.
    public let isList: Bool
    /// When it was written, by the wall clock.
    public let writtenAt: Date
    /// Until when it may be used; `nil` without end.
    public let expiry: Date?
    /// Whether it says that there is no such value.
    public let isMissing: Bool

    /// How far in the future a stamp may lie: the clock may have been set back by so much.
    static var tolerance: TimeInterval { 60 }

    /// Whether the value may not be used any more.
    ///
    /// - Parameter now: The wall clock.
    /// - Returns: Also `true` for a stamp from the future: the clock was set back, and nobody knows the value's age.
    public func isExpired(at now: Date) -> Bool {
        writtenAt.timeIntervalSince(now) > Self.tolerance || expiry.map { now >= $0 } ?? false
    }

    /// How old the value is.
    func age(at now: Date) -> Duration { .seconds(max(0, now.timeIntervalSince(writtenAt))) }

    /// What a stamp is kept under; long keys by their hash, since stores bound the length of keys.
    static func name(of key: String, isList: Bool) -> String {
        let name = (isList ? "list." : "value.") + key
        return key.utf8.count <= 1_000 ? name : "hash." + hexadecimal(SHA256.of(name.utf8))
    }
}

/// Where the stamps of an ``ExpiringDataSource`` are kept.
public struct CacheStamps: Sendable {
    let source: AnyDataSource<CacheStamp>

    /// In memory: after a relaunch nothing is known of the age of any value, and all count as expired.
    public static var memory: CacheStamps { CacheStamps(source: AnyDataSource(InMemoryDataSource<CacheStamp>())) }

    /// In a store, as JSON text.
    ///
    /// - Parameters:
    ///   - store: Any that holds strings; it may be the one that has the values.
    ///   - prefix: One that nothing else in the store has, such as "Item-stamps".
    /// - Returns: The stamps.
    public static func stored(in store: any KeyValueStore, prefix: String) -> CacheStamps {
        let texts = DeviceStorageDataSource<String>(store, prefix: prefix)
        return CacheStamps(source: AnyDataSource(texts.codable(CacheStamp.self)))
    }
}
