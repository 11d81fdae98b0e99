/// An operation that selects which sources a repository calls, and in which order.
///
/// Repositories with a single source ignore the operation.
public struct RepositoryOperation: Sendable {
    enum Kind: Sendable {
        case standard
        case main
        case mainSync
        case cache(ignoresValidation: Bool)
        case cacheSync(fallback: @Sendable (FallbackReason) -> Bool)
        case staleWhileRevalidate(limit: Duration?)
        case other(String)
    }

    let kind: Kind

    /// The standard operation, which is ``cacheSync`` for reading, and ``mainSync`` for writing and deleting.
    public static let standard = RepositoryOperation(kind: .standard)
    /// An operation that uses only the main source.
    public static let main = RepositoryOperation(kind: .main)
    /// An operation that uses the main source, then stores the result in the cache.
    public static let mainSync = RepositoryOperation(kind: .mainSync)
    /// An operation that uses only the cache.
    ///
    /// The main source is never called.
    public static let cache = cache(ignoresValidation: false)
    /// An operation that uses the cache first.
    ///
    /// Reads call the main source only if the cache has no valid value.
    ///
    /// Writes and deletions are applied to the cache, then to the main source.
    public static let cacheSync = cacheSync { _ in false }

    /// Returns an operation that uses only the cache, with or without validation.
    ///
    /// - Parameter ignoresValidation: Whether reading returns stale values instead of failing with `CoreError.NotValid`.
    /// - Returns: An operation to pass to a repository.
    public static func cache(ignoresValidation: Bool) -> RepositoryOperation {
        RepositoryOperation(kind: .cache(ignoresValidation: ignoresValidation))
    }

    /// Returns an operation that uses the cache, then the main source if the cache has no valid value.
    ///
    /// - Parameter fallback: A closure that is called when the main source has failed and the cached value is stale. If the closure returns
    ///   `true`, the read returns the stale value. Otherwise the read fails with the main source's error.
    /// - Returns: An operation to pass to a repository.
    public static func cacheSync(
        fallback: @escaping @Sendable (FallbackReason) -> Bool
    ) -> RepositoryOperation {
        RepositoryOperation(kind: .cacheSync(fallback: fallback))
    }

    /// An operation whose reads return the cached value immediately, even if the value is stale.
    ///
    /// A stale value is refreshed from the main source in the background.
    ///
    /// If the cache has no value, reading waits for the main source. Writing is the same as with ``mainSync``.
    public static let staleWhileRevalidate = RepositoryOperation(kind: .staleWhileRevalidate(limit: nil))

    /// Returns an operation like ``staleWhileRevalidate-swift.type.property`` that limits how long ago a value may have expired.
    ///
    /// - Parameter limit: The maximum time since a value expired. If the value expired earlier, or its age is unknown, reading waits for
    ///   the main source.
    /// - Returns: An operation to pass to a repository.
    public static func staleWhileRevalidate(for limit: Duration) -> RepositoryOperation {
        RepositoryOperation(kind: .staleWhileRevalidate(limit: limit))
    }

    /// Returns an operation for use with a custom repository.
    ///
    /// Larder's repositories fail with `CoreError.NotImplemented` when they are called with this operation.
    ///
    /// - Parameter name: The name of the operation, used in error messages.
    /// - Returns: An operation to pass to a repository.
    public static func other(_ name: String) -> RepositoryOperation { RepositoryOperation(kind: .other(name)) }
}

extension RepositoryOperation: CustomStringConvertible {
    /// The name of the operation, such as `cacheSync`.
    public var description: String {
        switch kind {
        case .standard: "standard"
        case .main: "main"
        case .mainSync: "mainSync"
        case .cache(let ignoresValidation): ignoresValidation ? "cache, ignoring validation" : "cache"
        case .cacheSync: "cacheSync"
        case .staleWhileRevalidate: "staleWhileRevalidate"
        case .other(let name): name
        }
    }
}

/// The errors passed to a fallback closure, which decides whether to return a stale cached value.
public struct FallbackReason: Sendable {
    /// The error that the main source reported.
    public let mainError: any Error
    /// The error that the cache reported, for example because the cached value is stale.
    public let cacheError: any Error
}
