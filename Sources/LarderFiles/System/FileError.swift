public import Foundation
internal import LarderCore

/// Why a file could not be read, written or removed.
///
/// Nothing was changed when it is thrown, unless it says so.
public struct FileError: Error, Sendable, LocalizedError, CustomStringConvertible {
    /// What went wrong, as a value to compare; new ones may be added in any release.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name that ``CustomStringConvertible/description`` prints.
        public let description: String
        let reason: String

        private init(_ name: String, _ reason: String) {
            description = name
            self.reason = reason
        }

        /// Two codes of one name are equal.
        public static func == (first: Code, second: Code) -> Bool { first.description == second.description }
        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(description) }

        /// There is no such file or folder.
        public static let notFound = Code("notFound", "there is no such file or folder")
        /// Something is already there.
        public static let alreadyExists = Code("alreadyExists", "something is already there")
        /// The operating system refused access.
        public static let notPermitted = Code(
            "notPermitted",
            "access was refused: check the permissions of the file and its folder"
        )
        /// The disk, or what this user may use of it, is full.
        public static let diskFull = Code(
            "diskFull",
            "the disk, or what this user may use of it, is full: free some space and try again"
        )
        /// Reading or writing failed.
        public static let inputOutput = Code("inputOutput", "the operating system reported a failure")
        /// A folder stands where a file is expected, or the other way round, or a link where none may be.
        public static let wrongKind = Code("wrongKind", "a file, folder or link of the wrong kind stands there")
        /// Somebody else holds the lock.
        public static let busy = Code("busy", "it is in use: try again when the other process has finished")
        /// An update of the file writes to it once more while it runs.
        public static let nestedUpdate = Code(
            "nestedUpdate",
            "this thread is updating the file: change the value that the update's closure is given, or write when the update has returned"
        )
        /// The process has as many files open as its limit allows (EMFILE).
        public static let tooManyOpenFiles = Code(
            "tooManyOpenFiles",
            "the process has as many files open as its limit allows (EMFILE): close some, or raise the limit, for example with `ulimit -n 1024`"
        )
        /// All processes together have as many files open as the operating system allows (ENFILE).
        public static let tooManyOpenFilesInSystem = Code(
            "tooManyOpenFilesInSystem",
            "all processes together have as many files open as the operating system allows (ENFILE): close some, or raise the system's limit"
        )
        /// The operating system starts no further thread.
        public static let tooManyThreads = Code(
            "tooManyThreads",
            "the operating system starts no further thread: end some, or raise the limit, for example with `ulimit -u`"
        )
        /// The content can't be turned into the value asked for, or the value into content.
        public static let undecodable = Code("undecodable", "the content and the type asked for do not fit")
        /// The path leads out of the folder it was given for, or can't be a path.
        public static let invalidPath = Code("invalidPath", "the path can't be used here")
        /// The file was closed before.
        public static let closed = Code("closed", "the file was closed before")
        /// This file system or platform can't do it.
        public static let unsupported = Code("unsupported", "this file system or platform can't do it")
    }

    /// What was being done.
    public struct Operation: Sendable, Hashable, CustomStringConvertible {
        /// The verb that is printed.
        public let description: String
        /// An operation.
        package init(_ verb: String) { description = verb }

        /// Opening.
        public static let open = Operation("open")
        /// Reading.
        public static let read = Operation("read")
        /// Writing.
        public static let write = Operation("write")
        /// Waiting for the disk.
        public static let synchronize = Operation("synchronize")
        /// Renaming.
        public static let rename = Operation("rename")
        /// Removing.
        public static let remove = Operation("remove")
        /// Locking.
        public static let lock = Operation("lock")
        /// Mapping into memory.
        public static let map = Operation("map")
        /// Listing a folder, or asking what is at a path.
        public static let inspect = Operation("inspect")
        /// Creating a folder.
        public static let createDirectory = Operation("create the folder")
        /// Cutting, growing or reserving.
        public static let resize = Operation("resize")
        /// Turning content into a value.
        public static let decode = Operation("decode")
        /// Turning a value into content.
        public static let encode = Operation("encode")
    }

    /// What went wrong.
    public let code: Code
    /// What was being done.
    public let operation: Operation
    /// The file or folder.
    public let path: String
    /// The operating system's number for it, where it has one.
    public let errno: Int32?
    /// The error beneath, if there was one.
    public let underlying: (any Error)?
    /// What to add to the sentence, if anything.
    public let detail: String?

    /// An error.
    package init(
        _ code: Code,
        _ operation: Operation,
        _ path: String,
        errno: Int32? = nil,
        underlying: (any Error)? = nil,
        detail: String? = nil
    ) {
        self.code = code
        self.operation = operation
        self.path = path
        self.errno = errno
        self.underlying = ErrorCause.bounded(underlying)
        self.detail = detail
    }

    /// One sentence: what could not be done to which path, and why.
    public var description: String {
        let number = errno.map { " (errno \($0))" } ?? ""
        let reasons = [code.reason + number, detail, underlying.map(ErrorCause.text)]
        return "Could not \(operation) \(path): " + reasons.compactMap { $0 }.joined(separator: "; ") + "."
    }

    /// The description.
    public var errorDescription: String? { description }
}

extension FileError: ErrorWithCause {}
