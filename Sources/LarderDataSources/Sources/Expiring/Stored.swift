public import Foundation
import LarderCore

/// Where a ``Stored`` value came from; new ones may be added in any release.
public struct StoredOrigin: Sendable, Hashable, CustomStringConvertible {
    /// The name that is printed.
    public let description: String
    /// An origin of your own.
    ///
    /// - Parameter name: In lower camel case.
    public init(_ name: String) { description = name }

    /// The main source, such as a server.
    public static let main = StoredOrigin("main")
    /// The memory of this process.
    public static let memory = StoredOrigin("memory")
    /// What outlives the process on this machine: a store or files.
    public static let device = StoredOrigin("device")
    /// What is kept nearby by a source that does not say where; see ``PlacedDataSource``.
    public static let cache = StoredOrigin("cache")
}

/// A source that says where its values are.
///
/// Sources that stand for another one say what that one says.
public protocol PlacedDataSource: DataSource {
    /// What a ``Stored`` value that was read here names as its origin.
    var storedOrigin: StoredOrigin { get }
}

extension StoredOrigin {
    /// Where the values of a source are; ``cache`` when it does not say.
    static func of(_ source: any DataSource) -> StoredOrigin {
        (source as? any PlacedDataSource)?.storedOrigin ?? .cache
    }
}

/// A value, where it came from, and how old it is.
public struct Stored<T: Sendable>: Sendable {
    /// The value.
    public let value: T
    /// Where it came from.
    public let origin: StoredOrigin
    /// How old it was when it was read; `nil` when nobody knows.
    public let age: Duration?
    /// Until when it may be used; `nil` when nobody knows, or without end.
    public let expiry: Date?
    /// Whether it should not be used any more, and was returned because it was asked for all the same.
    public let isExpired: Bool
    /// Whether the main source failed and this value took the place of its answer.
    public let isFallback: Bool

    /// A value and what is known of it.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - origin: Where it came from.
    ///   - age: How old it is.
    ///   - expiry: Until when it may be used.
    ///   - isExpired: Whether it should not be used any more.
    ///   - isFallback: Whether it took the place of the main source's answer.
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

    /// The same of another value.
    ///
    /// - Parameter transform: Makes it.
    /// - Returns: The other value, as old and from the same place.
    /// - Throws: What `transform` throws.
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

    /// The value of a cache that is asked for what may be used.
    func valueUnlessExpired() throws -> T {
        guard !isExpired else { throw CoreError.NotValid("The value has expired.") }
        return value
    }

    /// The same value in the place of the main source's answer.
    func asFallback() -> Stored {
        Stored(value, origin: origin, age: age, expiry: expiry, isExpired: isExpired, isFallback: true)
    }
}

extension Stored: Equatable where T: Equatable {}
