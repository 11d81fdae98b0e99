import LarderCore
import LarderFiles

/// The decoded content of a ``WholeFile``, held in memory.
protocol WholeFileContent: Sendable {
    /// The entries of the file.
    var table: StoreTable { get }
    /// The problems that make parts of the file unreadable.
    ///
    /// Commits fail if the array is not empty.
    var problems: [StoreVerification.Problem] { get }

    /// Applies the writes of a validated batch.
    ///
    /// Values are first converted to the form in which the file stores them.
    mutating func apply(_ batch: StoreBatch) -> StoreTableChange
}

extension WholeFileContent {
    var problems: [StoreVerification.Problem] { [] }
}

/// A file format for a store that replaces the whole file with each commit.
protocol WholeFileFormat: Sendable {
    associatedtype Content: WholeFileContent

    /// The name of the format in messages, such as "property list".
    static var name: String { get }
    /// The name of the type whose `repair(path:)` method repairs a file of this format.
    static var storeType: String { get }
    /// The content of a store whose file is missing.
    var empty: Content { get }

    /// Throws an error if `batch` contains a value that this file format can't hold.
    func check(_ batch: StoreBatch) throws

    /// Returns the path and the attributes of the file to read, which may be a backup, or `nil` if there is no file.
    func current(at path: String, on fileSystem: any FileSystem) throws -> (path: String, information: FileInformation)?

    /// Decodes the content of a store from the bytes of a file.
    ///
    /// - Throws: `DocumentDamage` or `StoreError` if the bytes can't be decoded.
    func decode(_ bytes: [UInt8]) throws -> Content

    /// Encodes the content of a store as the bytes of a file.
    ///
    /// - Throws: `StoreError` if an entry can't be written.
    func encode(_ content: Content) throws -> [UInt8]

    /// Returns the readable entries of a corrupt file, and a list of the problems in the file.
    ///
    /// - Throws: The errors of ``decode(_:)``, except errors for corrupt data.
    func salvage(_ bytes: [UInt8]) throws -> (content: Content, problems: [StoreVerification.Problem])

    /// Atomically replaces the file described by `seen` with one that contains `bytes`.
    ///
    /// After a crash, the file contains either the old or the new content.
    ///
    /// - Returns: The error from a sync that failed after the new file was put in place, or `nil` if all syncs succeeded.
    func replace(
        _ path: String,
        seen: FileInformation?,
        with bytes: [UInt8],
        on fileSystem: any FileSystem
    ) throws -> FileError?
}

extension WholeFileFormat {
    func check(_ batch: StoreBatch) throws {}

    func current(
        at path: String,
        on fileSystem: any FileSystem
    ) throws -> (path: String, information: FileInformation)? {
        try fileSystem.information(at: path, followingLinks: true).map { (path, $0) }
    }

    func replace(
        _ path: String,
        seen: FileInformation?,
        with bytes: [UInt8],
        on fileSystem: any FileSystem
    ) throws -> FileError? {
        try fileSystem.replaceContentsReturningSyncError(of: path, with: bytes)
    }
}

extension FileSystem {
    /// Atomically replaces the content of the file at `path`.
    ///
    /// - Returns: The error from a sync that failed after the new file was put in place, or `nil` if all syncs succeeded.
    func replaceContentsReturningSyncError(of path: String, with bytes: [UInt8]) throws -> FileError? {
        do {
            try replaceContents(of: path, with: bytes)
            return nil
        } catch let error as FileError {
            // If only the folder can't be synced, the new file is already in place and visible to all readers.
            guard error.operation == .synchronize, error.path == FilePath.folder(of: path) else { throw error }
            return error
        }
    }
}
