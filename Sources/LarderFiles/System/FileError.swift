public import Foundation
internal import LarderCore

/// An error that occurred while accessing a file.
///
/// The operation changed nothing, unless the error's description says otherwise.
public struct FileError: Error, Sendable, LocalizedError, CustomStringConvertible {
    /// A code that identifies the reason for a ``FileError``.
    ///
    /// Later releases may add codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code.
        public let description: String
        let reason: String
        let advice: String

        private init(_ name: String, _ reason: String, _ advice: String) {
            description = name
            self.reason = reason
            self.advice = advice
        }

        /// Returns whether two codes have the same name.
        public static func == (first: Code, second: Code) -> Bool { first.description == second.description }
        /// Hashes the name of the code.
        public func hash(into hasher: inout Hasher) { hasher.combine(description) }

        /// The file or folder does not exist.
        public static let notFound = Code("notFound", "there is no such file or folder", "Check the path.")
        /// A file or folder with this name already exists.
        public static let alreadyExists = Code(
            "alreadyExists",
            "a file or folder with this name already exists",
            "Remove the existing file or folder, or choose another name."
        )
        /// The operating system denied access.
        public static let notPermitted = Code(
            "notPermitted",
            "access was denied",
            "Check the permissions of the file and its folder."
        )
        /// The disk is full, or the user's disk quota is exhausted.
        public static let diskFull = Code(
            "diskFull",
            "the disk, or the user's quota, is full",
            "Free disk space and try again."
        )
        /// The operating system reported an I/O error.
        public static let inputOutput = Code(
            "inputOutput",
            "the operating system reported an error",
            "Check the disk for errors and try again."
        )
        /// The path refers to a folder instead of a file, to a file instead of a folder, or to a link where links are not allowed.
        public static let wrongKind = Code(
            "wrongKind",
            "the path points to a file, folder or link of the wrong kind",
            "Choose another path."
        )
        /// Another process or thread holds the lock.
        public static let busy = Code("busy", "the file is in use", "Try again when the other process has finished.")
        /// A settings update wrote to the file that it was updating.
        public static let nestedUpdate = Code(
            "nestedUpdate",
            "this thread is already updating the file",
            "Modify the value passed to the update closure instead of writing the file, or write after the update has returned."
        )
        /// The process has reached its limit on open files (EMFILE).
        public static let tooManyOpenFiles = Code(
            "tooManyOpenFiles",
            "the process has reached its limit of open files (EMFILE)",
            "Close some files, or raise the open-file limit (`ulimit -n`)."
        )
        /// The operating system has reached its limit on open files (ENFILE).
        public static let tooManyOpenFilesInSystem = Code(
            "tooManyOpenFilesInSystem",
            "the operating system has reached its limit of open files (ENFILE)",
            "Close some files, or raise the open-file limit of the operating system."
        )
        /// The operating system can't start another thread.
        public static let tooManyThreads = Code(
            "tooManyThreads",
            "the operating system can't start another thread",
            "End other threads, or raise the limit (`ulimit -u`)."
        )
        /// The content can't be decoded as the requested type, or the value can't be encoded in the file's format.
        public static let undecodable = Code(
            "undecodable",
            "the content and the type do not match",
            "Check the type of the value and the format of the file."
        )
        /// The path is invalid or escapes the base directory.
        public static let invalidPath = Code(
            "invalidPath",
            "the path is invalid for this operation",
            "Choose another path."
        )
        /// The file has been closed.
        public static let closed = Code("closed", "the file has been closed", "Open the file again.")
        /// The file system or platform does not support the operation.
        public static let unsupported = Code(
            "unsupported",
            "the file system or platform does not support this operation",
            "Use another file or file system."
        )
    }

    /// An operation on a file that can fail.
    public struct Operation: Sendable, Hashable, CustomStringConvertible {
        /// The verb for the operation in error messages, such as `"open"`.
        public let description: String
        /// Creates an operation that error messages describe with `verb`.
        package init(_ verb: String) { description = verb }

        /// Opening a file.
        public static let open = Operation("open")
        /// Reading a file.
        public static let read = Operation("read")
        /// Writing a file.
        public static let write = Operation("write")
        /// Syncing a file or folder to disk.
        public static let synchronize = Operation("synchronize")
        /// Renaming a file.
        public static let rename = Operation("rename")
        /// Removing a file.
        public static let remove = Operation("remove")
        /// Locking a file.
        public static let lock = Operation("lock")
        /// Mapping a file into memory.
        public static let map = Operation("map")
        /// Listing a folder or reading the attributes of a path.
        public static let inspect = Operation("inspect")
        /// Creating a folder.
        public static let createDirectory = Operation("create the folder")
        /// Watching a file for changes.
        public static let watch = Operation("watch")
        /// Truncating or extending a file, or reserving disk space for it.
        public static let resize = Operation("resize")
        /// Decoding a value read from a file.
        public static let decode = Operation("decode")
        /// Encoding a value to write to a file.
        public static let encode = Operation("encode")
    }

    /// The code that identifies why the operation failed.
    public let code: Code
    /// The operation that failed.
    public let operation: Operation
    /// The path of the file or folder.
    public let path: String
    /// The `errno` value that the operating system reported, if any.
    public let errno: Int32?
    /// The underlying error, if any.
    public let underlying: (any Error)?
    /// Additional information about the error, if any.
    public let detail: String?

    /// Creates an error about the file at `path`.
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

    /// A description of the failed operation, its cause, and how to resolve the problem.
    public var description: String {
        let number = errno.map { " (errno \($0))" } ?? ""
        let reasons = [code.reason + number, detail, underlying.map(ErrorCause.text)].compactMap { $0 }
        let reason = reasons.joined(separator: "; ")
        return
            "Could not \(operation) \(path.debugDescription): \(reason)\(reason.hasSuffix(".") ? "" : ".") \(code.advice)"
    }

    /// The same string as ``description``.
    public var errorDescription: String? { description }
}

extension FileError: ErrorWithCause {}
