public import Foundation
import LarderCore

/// The origin of a ``Stored`` value, such as the main source or a cache.
///
/// Later releases of Larder may add origins.
public struct StoredOrigin: Sendable, Hashable, CustomStringConvertible {
    /// The name of the origin, such as `main`.
    public let description: String
    /// Creates an origin with a custom name.
    ///
    /// - Parameter name: The name of the origin, in lower camel case.
    public init(_ name: String) { description = name }

    /// The main source, such as a server.
    public static let main = StoredOrigin("main")
    /// The memory of this process.
    public static let memory = StoredOrigin("memory")
    /// Persistent storage on this device, such as a store or files.
    public static let device = StoredOrigin("device")
    /// A cache that does not report where its values are stored; see ``PlacedDataSource``.
    public static let cache = StoredOrigin("cache")
}

/// A data source that reports where its values are stored.
///
/// A source that wraps another source reports the origin of the wrapped source.
public protocol PlacedDataSource: DataSource {
    /// The origin of ``Stored`` values read from this source.
    var storedOrigin: StoredOrigin { get }
}

extension StoredOrigin {
    /// Returns the origin that a source reports for its values, or ``cache`` if it does not report one.
    static func of(_ source: any DataSource) -> StoredOrigin {
        (source as? any PlacedDataSource)?.storedOrigin ?? .cache
    }
}

/// A value that was read from a data source, with its origin, its age and its expiry date.
public struct Stored<T: Sendable>: Sendable {
    /// The value that was read.
    public let value: T
    /// The source or storage from which the value was read.
    public let origin: StoredOrigin
    /// The age of the value when it was read, or `nil` if it is unknown.
    public let age: Duration?
    /// The date when the value expires, or `nil` if the date is unknown or the value never expires.
    public let expiry: Date?
    /// Whether the value had expired when it was read.
    public let isExpired: Bool
    /// Whether the value was returned because the main source failed.
    public let isFallback: Bool

    /// Creates a value with its origin and its age.
    ///
    /// - Parameters:
    ///   - value: The value that was read.
    ///   - origin: The source or storage from which the value was read.
    ///   - age: The age of the value, or `nil` if it is unknown.
    ///   - expiry: The date when the value expires, or `nil` if the date is unknown or the value never expires.
    ///   - isExpired: Whether the value has expired.
    ///   - isFallback: Whether the value is returned because the main source failed.
    public init(
        _ value: T,
        origin: StoredOrigin,
        age: Duration? = nil,
        expiry: Date? = nil,
        isExpired: Bool = false,
        isFallback: Bool = false
    ) {
        self.value = value
        self.origin = origin
        self.age = age
        self.expiry = expiry
        self.isExpired = isExpired
        self.isFallback = isFallback
    }

    /// Returns the result of transforming the value, with the same origin and age.
    ///
    /// - Parameter transform: A closure that transforms the value.
    /// - Returns: The transformed value, with this value's origin and age.
    /// - Throws: The error that `transform` throws.
    public func map<Other: Sendable>(_ transform: (T) throws -> Other) rethrows -> Stored<Other> {
        Stored<Other>(
            try transform(value),
            origin: origin,
            age: age,
            expiry: expiry,
            isExpired: isExpired,
            isFallback: isFallback
        )
    }

    /// Returns the value, or throws `CoreError.NotValid` if it has expired.
    func valueUnlessExpired() throws -> T {
        guard !isExpired else {
            throw CoreError.NotValid(
                "The value has expired. Fetch a new value, or read the expired value with `getStored`."
            )
        }
        return value
    }

    /// Returns a copy of this value that is marked as a fallback for a failed read of the main source.
    func asFallback() -> Stored {
        Stored(value, origin: origin, age: age, expiry: expiry, isExpired: isExpired, isFallback: true)
    }
}

extension Stored: Equatable where T: Equatable {}
