public import Foundation
public import LarderCore

/// The result of validating a cached value.
public enum ValidationState: Sendable, Hashable {
    /// The value may be used.
    case valid
    /// The value may not be used.
    case invalid
    /// The strategy can't decide, so the next strategy is consulted.
    case unknown
}

/// A strategy that decides whether a cached value is still valid, or leaves the decision to the next strategy.
public protocol ValidationStrategy: Sendable {
    /// Returns whether a value is valid according to this strategy.
    ///
    /// - Parameter object: A value of any type. Strategies return `.unknown` for types that they do not support.
    /// - Returns: Whether the value is valid, or `.unknown` if the strategy can't decide.
    func state<T>(of object: T) -> ValidationState
}

/// A validator that consults a list of strategies until one of them can decide.
public struct ValidationService<T>: ObjectValidation {
    private let strategies: [any ValidationStrategy]
    private let isValidByDefault: Bool

    /// Creates a validator from strategies.
    ///
    /// - Parameters:
    ///   - strategies: The strategies to consult, in order.
    ///   - isValidByDefault: The result if no strategy can decide.
    public init(_ strategies: [any ValidationStrategy], isValidByDefault: Bool = false) {
        self.strategies = strategies
        self.isValidByDefault = isValidByDefault
    }

    /// Returns the result of the first strategy that can decide, or the default result if no strategy can.
    public func isObjectValid(_ object: T) -> Bool {
        for strategy in strategies {
            switch strategy.state(of: object) {
            case .valid: return true
            case .invalid: return false
            case .unknown: continue
            }
        }
        return isValidByDefault
    }
}

/// A value that records when it was last fetched and how long it stays valid.
public protocol TimestampValidated {
    /// The date when the value was last fetched, or `nil` if it is unknown.
    var lastUpdate: Date? { get }
    /// The duration for which the value stays valid after ``lastUpdate``.
    var expiryTime: ExpiryTime { get }
}

/// The duration for which a cached value stays valid.
public enum ExpiryTime: Sendable, Hashable {
    /// The value never expires.
    case never
    /// The value expires after the given duration.
    case after(Duration)
}

/// A strategy that checks a value's age; see ``TimestampValidated``.
public struct TimestampValidationStrategy: ValidationStrategy {
    private let time: any TimeSource
    private let tolerance: Duration

    /// Creates a strategy that checks a value's age.
    ///
    /// - Parameters:
    ///   - time: The time source that provides the current time.
    ///   - tolerance: The allowed clock skew, by which a timestamp may lie in the future. A value with a later timestamp is invalid.
    public init(time: any TimeSource = .system, tolerance: Duration = .seconds(60)) {
        self.time = time
        self.tolerance = tolerance
    }

    /// Returns `.valid` if the value is younger than its expiry time, otherwise `.invalid`.
    ///
    /// Returns `.unknown` if the value has no timestamp or is not ``TimestampValidated``.
    public func state<T>(of object: T) -> ValidationState {
        guard let stamped = object as? any TimestampValidated, let lastUpdate = stamped.lastUpdate else {
            return .unknown
        }
        let age = time.now.timeIntervalSince(lastUpdate)
        guard age >= -tolerance.seconds else { return .invalid }
        return switch stamped.expiryTime {
        case .never: .valid
        case .after(let limit): age < limit.seconds ? .valid : .invalid
        }
    }
}

/// A value that can be invalidated explicitly.
public protocol InvalidationValidated {
    /// Whether the value has been invalidated and must be fetched again.
    var isInvalidated: Bool { get }
}

/// A strategy that rejects invalidated values; see ``InvalidationValidated``.
public struct InvalidationStrategy: ValidationStrategy {
    /// Creates a strategy that rejects invalidated values.
    public init() {}

    /// Returns `.invalid` if the value has been invalidated, otherwise `.unknown`.
    public func state<T>(of object: T) -> ValidationState {
        (object as? any InvalidationValidated)?.isInvalidated == true ? .invalid : .unknown
    }
}

/// A strategy that accepts all values while the network is unreachable.
public struct ReachabilityStrategy: ValidationStrategy {
    private let isReachable: @Sendable () -> Bool

    /// Creates a strategy that checks whether the network is reachable.
    ///
    /// - Parameter isReachable: A closure that returns whether the network can be reached now.
    public init(isReachable: @escaping @Sendable () -> Bool) { self.isReachable = isReachable }

    /// Returns `.valid` while the network is unreachable, otherwise `.unknown`.
    public func state<T>(of object: T) -> ValidationState { isReachable() ? .unknown : .valid }
}

extension Duration {
    var seconds: TimeInterval {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
