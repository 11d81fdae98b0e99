#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A namespace for the errors that data sources and repositories throw.
///
/// Each error is a struct, so you can write `error is CoreError.NotFound` and `catch let error as CoreError.NotFound`. Two errors of the
/// same type are equal if their details are equal; of an underlying error, only the type and the description are compared. To compare only
/// the types of two errors, use `is` or ``Kind/code-swift.property``.
public enum CoreError {
    /// A protocol that all errors in this namespace conform to.
    public protocol Kind: LocalizedError, Sendable, Equatable, CustomStringConvertible {
        /// The code of this error type within ``CoreError/domain``.
        static var code: Int { get }
    }

    /// The error domain to which the codes belong.
    public static let domain = "com.mobilejazz.core.error"

    /// An error for an unexpected failure.
    ///
    /// The error code is 0.
    public struct Unknown: Kind {
        /// The numeric code of this kind of error, which is always 0.
        public static let code = 0
        /// The underlying error, if any.
        public let underlying: (any Error)?
        /// Creates an error for an unexpected failure.
        public init(underlying: (any Error)? = nil) { self.underlying = ErrorCause.bounded(underlying) }
        /// A message that describes the error.
        public var description: String { "An unknown error occurred." + because(underlying) }

        /// Returns whether both errors have the same description and underlying errors of the same type.
        public static func == (left: Unknown, right: Unknown) -> Bool {
            left.description.hasSameBytes(as: right.description) && haveSameType(left.underlying, right.underlying)
        }
    }

    /// An error for a value that is missing or can't be converted to the requested type.
    ///
    /// The error code is 1.
    public struct NotFound: Kind {
        /// The reason why no value was returned.
        public enum Reason: Sendable, Equatable {
            /// There is no value under the key.
            case absent
            /// The stored value can't be converted to the requested type.
            case notConvertible(stored: StoredValue.Kind, asked: String)
            /// The stored value is a list but a single value was requested, or vice versa.
            case otherShape(asked: String)
        }

        /// The numeric code of this kind of error, which is always 1.
        public static let code = 1
        /// The reason why no value was returned.
        public let reason: Reason
        /// The requested key, or `nil` if the query was not for a single key.
        public let key: String?

        /// Creates an error for a missing value.
        ///
        /// - Parameters:
        ///   - reason: The reason why no value was returned.
        ///   - key: The requested key.
        public init(_ reason: Reason = .absent, key: String? = nil) {
            self.reason = reason
            self.key = key
        }

        /// Returns whether both errors have the same reason and the same key.
        ///
        /// Keys are compared by their bytes.
        public static func == (left: NotFound, right: NotFound) -> Bool {
            left.reason == right.reason && left.key.map { Array($0.utf8) } == right.key.map { Array($0.utf8) }
        }

        /// A message that describes the error.
        public var description: String {
            let place = key.map { " for \($0.debugDescription)" } ?? ""
            return switch reason {
            case .absent: "There is no value\(place)."
            case .notConvertible(let stored, let asked):
                "The value\(place) is of kind \(stored.rawValue) and can't be read as \(asked). Read it as \(stored.rawValue), or write a new value."
            case .otherShape(let asked):
                "The stored value\(place) can't be read as \(asked), because lists do not convert to single values or vice versa. Call `getAll` to read a list, or `get` to read a single value."
            }
        }
    }

    /// An error for an invalid argument.
    ///
    /// The error code is 2.
    public struct IllegalArgument: Kind {
        /// The numeric code of this kind of error, which is always 2.
        public static let code = 2
        /// A message that describes the error.
        public let description: String
        /// Creates an error for an invalid argument.
        public init(_ message: String = "An argument is invalid.") { description = message }
    }

    /// An error for an operation that a type does not implement.
    ///
    /// The error code is 3.
    public struct NotImplemented: Kind {
        /// The numeric code of this kind of error, which is always 3.
        public static let code = 3
        /// A message that describes the error.
        public let description: String
        /// Creates an error for a missing implementation.
        public init(_ message: String = "This operation is not implemented.") { description = message }
    }

    /// An error for a value that was found but is not valid, such as an expired value.
    ///
    /// The error code is 4.
    public struct NotValid: Kind {
        /// The numeric code of this kind of error, which is always 4.
        public static let code = 4
        /// A message that describes the error.
        public let description: String
        /// Creates an error for an invalid value.
        public init(_ message: String = "The value was found but is not valid, for example because it has expired.") {
            description = message
        }
    }

    /// An error for an operation that failed.
    ///
    /// The error code is 5.
    public struct Failed: Kind {
        /// The numeric code of this kind of error, which is always 5.
        public static let code = 5
        /// A message that describes the error.
        public let description: String
        /// The underlying error, if any.
        public let underlying: (any Error)?
        /// Creates an error for a failed operation.
        public init(_ message: String = "The operation failed.", underlying: (any Error)? = nil) {
            description = message + because(underlying)
            self.underlying = ErrorCause.bounded(underlying)
        }

        /// Returns whether both errors have the same description and underlying errors of the same type.
        public static func == (left: Failed, right: Failed) -> Bool {
            left.description.hasSameBytes(as: right.description) && haveSameType(left.underlying, right.underlying)
        }
    }

    /// An error for a query that the data source does not support.
    ///
    /// The error code is 6.
    public struct QueryNotSupported: Kind {
        /// The numeric code of this kind of error, which is always 6.
        public static let code = 6
        /// A message that describes the error.
        public let description: String
        /// Creates an error for an unsupported query.
        public init(_ message: String = "This data source does not support this kind of query.") {
            description = message
        }
    }

    /// An error for a failed conversion between a value and its serialized form.
    ///
    /// The error code is 7.
    public struct DataSerialization: Kind {
        /// The numeric code of this kind of error, which is always 7.
        public static let code = 7
        /// A message that describes the error.
        public let description: String
        /// The underlying error, if any.
        public let underlying: (any Error)?
        /// Creates an error for a failed conversion.
        public init(
            _ message: String = "The data can't be converted to the requested type.",
            underlying: (any Error)? = nil
        ) {
            description = message + because(underlying)
            self.underlying = ErrorCause.bounded(underlying)
        }

        /// Returns whether both errors have the same description and underlying errors of the same type.
        public static func == (left: DataSerialization, right: DataSerialization) -> Bool {
            left.description.hasSameBytes(as: right.description) && haveSameType(left.underlying, right.underlying)
        }
    }
}

/// The name that Kotlin code uses for ``CoreError/NotFound``.
public typealias DataNotFoundException = CoreError.NotFound

extension CoreError.Kind {
    /// The code of this error type within ``CoreError/domain``.
    public var code: Int { Self.code }
    /// The same string as `description`.
    public var errorDescription: String? { description }
    /// Returns whether both errors have the same description.
    public static func == (left: Self, right: Self) -> Bool { left.description.hasSameBytes(as: right.description) }
}

private func because(_ underlying: (any Error)?) -> String { ErrorCause.suffix(underlying) }

private func haveSameType(_ left: (any Error)?, _ right: (any Error)?) -> Bool {
    left.map { type(of: $0) } == right.map { type(of: $0) }
}
