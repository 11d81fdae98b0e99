public import Foundation
public import LarderCore

/// What a strategy says about a value.
public enum ValidationState: Sendable, Hashable {
    /// It may be used.
    case valid
    /// It may not.
    case invalid
    /// This strategy can't tell: the next one is asked.
    case unknown
}

/// One reason for which a value may be used or not.
public protocol ValidationStrategy: Sendable {
    /// What this strategy says about a value.
    ///
    /// - Parameter object: Of any type; one that the strategy does not know is `.unknown`.
    /// - Returns: What it says.
    func state<T>(of object: T) -> ValidationState
}

/// Strategies asked one after another: the first that can tell decides.
public struct ValidationService<T>: ObjectValidation {
    private let strategies: [any ValidationStrategy]
    private let isValidByDefault: Bool

    /// A validator by strategies.
    ///
    /// - Parameters:
    ///   - strategies: Asked in this order.
    ///   - isValidByDefault: What counts when none can tell.
    public init(_ strategies: [any ValidationStrategy], isValidByDefault: Bool = false) {
        self.strategies = strategies
        self.isValidByDefault = isValidByDefault
    }

    /// What the first strategy says that can tell.
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

/// A value that knows when it was last fetched and how long it may be used.
public protocol TimestampValidated {
    /// When it was last fetched; `nil` when that is not known.
    var lastUpdate: Date? { get }
    /// How long it may be used from then on.
    var expiryTime: ExpiryTime { get }
}

/// How long something may be used.
public enum ExpiryTime: Sendable, Hashable {
    /// Without end.
    case never
    /// For this long.
    case after(Duration)
}

/// Asks how old a value is; see ``TimestampValidated``.
public struct TimestampValidationStrategy: ValidationStrategy {
    private let time: any TimeSource
    private let tolerance: Duration

    /// A strategy by age.
    ///
    /// - Parameters:
    ///   - time: Says how late it is.
    ///   - tolerance: How far in the future a stamp may lie, for clocks that differ; beyond it the stamp is wrong and the value
    ///     invalid.
    public init(time: any TimeSource = .system, tolerance: Duration = .seconds(60)) {
        self.time = time
        self.tolerance = tolerance
    }

    /// Whether the value is younger than its expiry time; unknown when it has no stamp or is no ``TimestampValidated``.
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

/// A value that may say of itself that it must be fetched again.
public protocol InvalidationValidated {
    /// Whether it must be fetched again.
    var isInvalidated: Bool { get }
}

/// Asks the value itself whether it must be fetched again; see ``InvalidationValidated``.
public struct InvalidationStrategy: ValidationStrategy {
    /// The strategy.
    public init() {}

    /// Invalid when the value says so, else unknown.
    public func state<T>(of object: T) -> ValidationState {
        (object as? any InvalidationValidated)?.isInvalidated == true ? .invalid : .unknown
    }
}

/// Without a network everything is valid, since nothing better can be had.
public struct ReachabilityStrategy: ValidationStrategy {
    private let isReachable: @Sendable () -> Bool

    /// A strategy by reachability.
    ///
    /// - Parameter isReachable: Whether the network can be reached now.
    public init(isReachable: @escaping @Sendable () -> Bool) { self.isReachable = isReachable }

    /// Valid without a network, else unknown.
    public func state<T>(of object: T) -> ValidationState { isReachable() ? .unknown : .valid }
}

extension Duration {
    /// This duration as Foundation counts.
    var seconds: TimeInterval {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
