/// Which sources a repository asks, and in which order.
///
/// Repositories of one source ignore it.
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

    /// What the repository does unless told: ``cacheSync`` to read, ``mainSync`` to write and delete.
    public static let standard = RepositoryOperation(kind: .standard)
    /// The main source only.
    public static let main = RepositoryOperation(kind: .main)
    /// The main source, then the cache is brought in line with it.
    public static let mainSync = RepositoryOperation(kind: .mainSync)
    /// The cache only: the main source is never asked.
    public static let cache = cache(ignoresValidation: false)
    /// Reading: the cache, and the main source where the cache has nothing valid.
    ///
    /// Writing: the cache, then the main source.
    public static let cacheSync = cacheSync { _ in false }

    /// The cache only.
    ///
    /// - Parameter ignoresValidation: Whether a value that is not valid any more is returned too, rather than failing with
    ///   `CoreError.NotValid`.
    /// - Returns: The operation.
    public static func cache(ignoresValidation: Bool) -> RepositoryOperation {
        RepositoryOperation(kind: .cache(ignoresValidation: ignoresValidation))
    }

    /// The cache, and the main source where the cache has nothing valid.
    ///
    /// - Parameter fallback: Asked when the main source failed too and the cache has a value that is not valid any more:
    ///   whether that value is better than nothing.
    /// - Returns: The operation.
    public static func cacheSync(
        fallback: @escaping @Sendable (FallbackReason) -> Bool
    ) -> RepositoryOperation {
        RepositoryOperation(kind: .cacheSync(fallback: fallback))
    }

    /// Reading: what the cache has, valid or not, at once; where it is not valid the main source is asked meanwhile, for the next reader.
    ///
    /// A cache that has nothing waits for the main source. Writing: as ``mainSync``.
    public static let staleWhileRevalidate = RepositoryOperation(kind: .staleWhileRevalidate(limit: nil))

    /// As ``staleWhileRevalidate-swift.type.property``, for values that expired not too long ago.
    ///
    /// - Parameter limit: How long ago; an older value, or one whose age nobody knows, waits for the main source.
    /// - Returns: The operation.
    public static func staleWhileRevalidate(for limit: Duration) -> RepositoryOperation {
        RepositoryOperation(kind: .staleWhileRevalidate(limit: limit))
    }

    /// An operation of your own, for a repository of your own.
    ///
    /// The repositories of Larder answer `CoreError.NotImplemented` to it.
    ///
    /// - Parameter name: Shown in errors.
    /// - Returns: The operation.
    public static func other(_ name: String) -> RepositoryOperation { RepositoryOperation(kind: .other(name)) }
}

extension RepositoryOperation: CustomStringConvertible {
    /// The name of the operation.
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

/// Why a repository considers a value that is not valid any more.
public struct FallbackReason: Sendable {
    /// Why the main source gave no value.
    public let mainError: any Error
    /// Why the cache's value would not do.
    public let cacheError: any Error
}
