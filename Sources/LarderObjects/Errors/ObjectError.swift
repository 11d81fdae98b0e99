#if Objects
public import Foundation
internal import LarderCore

/// An error that occurred while reading or writing objects.
///
/// A call that throws this error has changed neither the database nor the objects in memory.
public struct ObjectError: Error, Sendable, LocalizedError, CustomStringConvertible {
    /// A code that identifies the type of an error.
    ///
    /// Any release may add new codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code, such as `diskFull`.
        public let description: String
        private init(_ name: String) { description = name }

        /// The model or migration plan is invalid, or a call refers to an entity or property that does not exist.
        ///
        /// ``ObjectError/problems`` lists every problem.
        public static let invalidModel = Code("invalidModel")
        /// The database has a schema that can't be migrated to the model automatically.
        public static let modelMismatch = Code("modelMismatch")
        /// The version of the SQLite library is too old.
        public static let unsupportedSQLite = Code("unsupportedSQLite")
        /// The database was written by a newer version of Larder or with a newer version of the model.
        public static let storeIsNewer = Code("storeIsNewer")
        /// The file is a database that belongs to another application.
        public static let foreignDatabase = Code("foreignDatabase")
        /// The file is not a SQLite database.
        public static let notADatabase = Code("notADatabase")
        /// The database is corrupt.
        ///
        /// After corruption is detected, the manager is read-only, and every write throws an error with this code.
        public static let damaged = Code("damaged")
        /// Another connection, process or manager is using the database.
        public static let busy = Code("busy")
        /// The write failed because the disk is full.
        public static let diskFull = Code("diskFull")
        /// The file or its folder can't be opened, read or written.
        public static let inaccessible = Code("inaccessible")
        /// Some changed objects are invalid and can't be saved.
        ///
        /// ``ObjectError/problems`` lists every problem.
        public static let invalidObjects = Code("invalidObjects")
        /// Two objects have the same value of a unique property, or several objects or edits have the key of an update.
        public static let duplicate = Code("duplicate")
        /// A predicate or a sort order can't be translated into SQL.
        ///
        /// The message describes what is not supported and suggests an alternative.
        public static let unsupportedQuery = Code("unsupportedQuery")
        /// A storage or an object was used after its closure returned or after its manager was closed.
        public static let expired = Code("expired")
        /// An object was passed to a storage to which it does not belong.
        public static let foreignObject = Code("foreignObject")
        /// The object has been deleted.
        public static let deletedObject = Code("deletedObject")
        /// A relationship could not be read from the database.
        public static let faultFailed = Code("faultFailed")
        /// A stored value can't be converted to the type of its property.
        public static let notConvertible = Code("notConvertible")
        /// A custom migration stage failed, so the migration was rolled back.
        ///
        /// ``ObjectError/underlying`` is the error that the stage threw.
        public static let migrationFailed = Code("migrationFailed")
        /// The database was opened read-only.
        public static let readOnly = Code("readOnly")
        /// Another writer changed the same properties of an object, or deleted the object, since a struct was read from it.
        ///
        /// ``ObjectError/conflicts`` lists the objects and the properties.
        public static let conflict = Code("conflict")
        /// The history after a token is no longer in the file, because it was trimmed or the file was restored from a backup.
        public static let historyExpired = Code("historyExpired")
        /// SQLite reported an error that no other code describes.
        public static let database = Code("database")
    }

    /// The code that identifies the type of the error.
    public let code: Code
    /// A description of the error and its remedy, in one or two sentences.
    public let message: String
    /// A description of each problem, or an empty array for errors that report only one problem.
    public let problems: [String]
    /// The data that the rejected migration would lose, or an empty array for other errors.
    public let losses: [MigrationLoss]
    /// The objects that an update did not change because of a conflict, or an empty array for other errors.
    public let conflicts: [ObjectConflict]
    /// The path of the database file, if known.
    public let path: String?
    /// The error that caused this error, if any.
    public let underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The code that identifies the type of the error.
    ///   - message: A description of the error and its remedy.
    ///   - problems: A description of each problem, if the error reports several problems.
    ///   - path: The path of the database file.
    ///   - underlying: The error that caused this error.
    public init(
        _ code: Code,
        _ message: String,
        problems: [String] = [],
        path: String? = nil,
        underlying: (any Error)? = nil
    ) {
        self.init(code, message, problems: problems, losses: [], path: path, underlying: underlying)
    }

    init(
        _ code: Code,
        _ message: String,
        problems: [String],
        losses: [MigrationLoss],
        conflicts: [ObjectConflict] = [],
        path: String? = nil,
        underlying: (any Error)? = nil
    ) {
        self.losses = losses
        self.conflicts = conflicts
        self.code = code
        self.message = message
        self.problems = problems
        self.path = path
        self.underlying = ErrorCause.bounded(underlying)
    }

    /// The path, the message, up to 100 problems on separate lines, and at most 2,000 bytes that describe the underlying error.
    public var description: String {
        var text = path.map { "\($0): \(message)" } ?? message
        for problem in problems.prefix(Self.shownProblems) { text += "\n- " + ErrorCause.bounded(problem) }
        let rest = problems.count - Self.shownProblems
        if rest > 0 { text += "\n- \(counted(rest, "more problem"))" }
        return text + ErrorCause.suffix(underlying)
    }

    private static let shownProblems = 100

    /// The same string as ``description``.
    public var errorDescription: String? { description }
}

extension ObjectError: ErrorWithCause {}
#endif
