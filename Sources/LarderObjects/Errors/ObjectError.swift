#if Objects
public import Foundation
internal import LarderCore

/// Why objects could not be read or written.
///
/// Neither the database nor memory was changed when it is thrown.
public struct ObjectError: Error, Sendable, LocalizedError, CustomStringConvertible {
    /// What went wrong, as a value to compare; new ones may be added in any release.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name that ``CustomStringConvertible/description`` prints.
        public let description: String
        private init(_ name: String) { description = name }

        /// The entities do not fit together; ``ObjectError/problems`` lists every fault.
        public static let invalidModel = Code("invalidModel")
        /// The file was written with a model that differs in more than what can be added.
        public static let modelMismatch = Code("modelMismatch")
        /// The SQLite that the program is linked with is too old.
        public static let unsupportedSQLite = Code("unsupportedSQLite")
        /// The file was written by a newer version of the model, or of Larder.
        public static let storeIsNewer = Code("storeIsNewer")
        /// The file is a database of another application.
        public static let foreignDatabase = Code("foreignDatabase")
        /// The file is not a database.
        public static let notADatabase = Code("notADatabase")
        /// The database is damaged.
        ///
        /// After the first sign of it a manager reads only: every later write throws this.
        public static let damaged = Code("damaged")
        /// Somebody else holds the database.
        public static let busy = Code("busy")
        /// The disk is full.
        public static let diskFull = Code("diskFull")
        /// The file or its folder can't be opened, read or written.
        public static let inaccessible = Code("inaccessible")
        /// Objects can't be saved as they are; ``ObjectError/problems`` lists every fault.
        public static let invalidObjects = Code("invalidObjects")
        /// Two objects have the same value where it must be unique.
        public static let duplicate = Code("duplicate")
        /// A predicate or a sort order can't be turned into SQL; the message names the part and the way out.
        public static let unsupportedQuery = Code("unsupportedQuery")
        /// A storage or an object was used after the closure it was given to had ended, or after the manager was closed.
        public static let expired = Code("expired")
        /// An object of another storage was given.
        public static let foreignObject = Code("foreignObject")
        /// An object was asked for that was deleted.
        public static let deletedObject = Code("deletedObject")
        /// A relationship could not be read.
        public static let faultFailed = Code("faultFailed")
        /// A stored value does not convert to the type of its property.
        public static let notConvertible = Code("notConvertible")
        /// Anything else that SQLite reports.
        public static let database = Code("database")
    }

    /// What went wrong.
    public let code: Code
    /// One sentence that says what happened and what to do.
    public let message: String
    /// Every fault, where there can be several.
    public let problems: [String]
    /// The database file, where it is known.
    public let path: String?
    /// The error beneath, if there was one.
    public let underlying: (any Error)?

    /// An error.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - message: One sentence that says what happened and what to do.
    ///   - problems: Every fault, where there can be several.
    ///   - path: The database file.
    ///   - underlying: The error beneath.
    public init(
        _ code: Code,
        _ message: String,
        problems: [String] = [],
        path: String? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.problems = problems
        self.path = path
        self.underlying = ErrorCause.bounded(underlying)
    }

    /// The message, the first 100 problems on a line each, then at most 2,000 bytes of the error beneath.
    public var description: String {
        var text = path.map { "\($0): \(message)" } ?? message
        for problem in problems.prefix(Self.shownProblems) { text += "\n- " + ErrorCause.bounded(problem) }
        let rest = problems.count - Self.shownProblems
        if rest > 0 { text += "\n- and \(rest) more" }
        return text + ErrorCause.suffix(underlying)
    }

    private static let shownProblems = 100

    /// The description.
    public var errorDescription: String? { description }
}

extension ObjectError: ErrorWithCause {}
#endif
