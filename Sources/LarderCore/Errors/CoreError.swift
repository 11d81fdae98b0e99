#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The errors of data sources and repositories, by the names and codes of the documents Larder re-creates.
///
/// A namespace of structs, so that `error is CoreError.NotFound` and `catch let error as CoreError.NotFound` read well. Two
/// errors of one type are equal when they say the same: the same details, and the same underlying error. To ask only for the kind, use
/// `is`, or compare ``Kind/code-swift.property``.
public enum CoreError {
    /// What all of them share.
    public protocol Kind: LocalizedError, Sendable, Equatable, CustomStringConvertible {
        /// The number of this kind of error within ``CoreError/domain``.
        static var code: Int { get }
    }

    /// The domain the codes belong to.
    public static let domain = "com.mobilejazz.core.error"

    /// Something failed in a way nobody foresaw.
    ///
    /// Code 0.
    public struct Unknown: Kind {
        /// Always 0.
        public static let code = 0
        /// The error beneath, if there was one.
        public let underlying: (any Error)?
        /// An unknown error.
        public init(underlying: (any Error)? = nil) { self.underlying = ErrorCause.bounded(underlying) }
        /// One sentence.
        public var description: String { "Something failed for an unknown reason." + because(underlying) }

        /// Returns whether both errors have the same description and an underlying error of the same type.
        ///
        /// The description includes that of the underlying error.
        public static func == (left: Unknown, right: Unknown) -> Bool {
            left.description.hasSameBytes(as: right.description) && haveSameType(left.underlying, right.underlying)
        }
    }

    /// There is no such value, or what is there does not convert to the type asked for.
    ///
    /// Code 1.
    public struct NotFound: Kind {
        /// Why there was nothing to return.
        public enum Reason: Sendable, Equatable {
            /// Nothing is stored under the key.
            case absent
            /// Something is stored that does not convert.
            case notConvertible(stored: StoredValue.Kind, asked: String)
            /// A list is stored where one value was asked for, or one value where a list was.
            case otherShape(asked: String)
        }

        /// Always 1.
        public static let code = 1
        /// Why there was nothing to return.
        public let reason: Reason
        /// The key that was asked for, if it was one.
        public let key: String?

        /// A missing value.
        ///
        /// - Parameters:
        ///   - reason: Why there was nothing to return.
        ///   - key: The key that was asked for.
        public init(_ reason: Reason = .absent, key: String? = nil) {
            self.reason = reason
            self.key = key
        }

        /// Returns whether both errors have the same reason and the same key, compared by its bytes.
        public static func == (left: NotFound, right: NotFound) -> Bool {
            left.reason == right.reason && left.key.map { Array($0.utf8) } == right.key.map { Array($0.utf8) }
        }

        /// One sentence.
        public var description: String {
            let place = key.map { " for \($0.debugDescription)" } ?? ""
            return switch reason {
            case .absent: "There is no value\(place)."
            case .notConvertible(let stored, let asked):
                "The value\(place) is of kind \(stored.rawValue) and can't be read as \(asked)."
            case .otherShape(let asked):
                "What is stored\(place) can't be read as \(asked): read it as a list, or as one value."
            }
        }
    }

    /// An argument can't be used.
    ///
    /// Code 2.
    public struct IllegalArgument: Kind {
        /// Always 2.
        public static let code = 2
        /// One sentence.
        public let description: String
        /// An unusable argument.
        public init(_ message: String = "An argument can't be used.") { description = message }
    }

    /// The operation exists in the protocol, and this type does not carry it out.
    ///
    /// Code 3.
    public struct NotImplemented: Kind {
        /// Always 3.
        public static let code = 3
        /// One sentence.
        public let description: String
        /// A missing implementation.
        public init(_ message: String = "This operation is not implemented here.") { description = message }
    }

    /// A value was found that is not valid, such as an expired one.
    ///
    /// Code 4.
    public struct NotValid: Kind {
        /// Always 4.
        public static let code = 4
        /// One sentence.
        public let description: String
        /// An invalid value.
        public init(_ message: String = "The value is not valid.") { description = message }
    }

    /// An operation failed.
    ///
    /// Code 5.
    public struct Failed: Kind {
        /// Always 5.
        public static let code = 5
        /// One sentence.
        public let description: String
        /// The error beneath, if there was one.
        public let underlying: (any Error)?
        /// A failure.
        public init(_ message: String = "The operation failed.", underlying: (any Error)? = nil) {
            description = message + because(underlying)
            self.underlying = ErrorCause.bounded(underlying)
        }

        /// Returns whether both errors have the same description and an underlying error of the same type.
        ///
        /// The description includes that of the underlying error.
        public static func == (left: Failed, right: Failed) -> Bool {
            left.description.hasSameBytes(as: right.description) && haveSameType(left.underlying, right.underlying)
        }
    }

    /// The source does not take this kind of query.
    ///
    /// Code 6.
    public struct QueryNotSupported: Kind {
        /// Always 6.
        public static let code = 6
        /// One sentence.
        public let description: String
        /// A query that is not taken.
        public init(_ message: String = "This data source does not take this kind of query.") { description = message }
    }

    /// Bytes or text could not be turned into a value, or a value into bytes or text.
    ///
    /// Code 7.
    public struct DataSerialization: Kind {
        /// Always 7.
        public static let code = 7
        /// One sentence.
        public let description: String
        /// The error beneath, if there was one.
        public let underlying: (any Error)?
        /// A failed conversion.
        public init(
            _ message: String = "The data can't be turned into the value asked for.",
            underlying: (any Error)? = nil
        ) {
            description = message + because(underlying)
            self.underlying = ErrorCause.bounded(underlying)
        }

        /// Returns whether both errors have the same description and an underlying error of the same type.
        ///
        /// The description includes that of the underlying error.
        public static func == (left: DataSerialization, right: DataSerialization) -> Bool {
            left.description.hasSameBytes(as: right.description) && haveSameType(left.underlying, right.underlying)
        }
    }
}

/// The name under which the documents' Kotlin samples know ``CoreError/NotFound``.
public typealias DataNotFoundException = CoreError.NotFound

extension CoreError.Kind {
    /// The number of this kind of error within ``CoreError/domain``.
    public var code: Int { Self.code }
    /// The description.
    public var errorDescription: String? { description }
    /// Returns whether both errors have the same description.
    public static func == (left: Self, right: Self) -> Bool { left.description.hasSameBytes(as: right.description) }
}

private func because(_ underlying: (any Error)?) -> String { ErrorCause.suffix(underlying) }

private func haveSameType(_ left: (any Error)?, _ right: (any Error)?) -> Bool {
    left.map { type(of: $0) } == right.map { type(of: $0) }
}
