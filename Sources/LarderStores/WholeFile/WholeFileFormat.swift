import LarderCore
import LarderFiles

/// What a ``WholeFile`` holds, as it is kept in memory.
protocol WholeFileContent: Sendable {
    /// The entries.
    var table: StoreTable { get }
    /// What of the file could not be read; while there is anything, nothing may be written.
    var problems: [StoreVerification.Problem] { get }

    /// Carries out the writes of a batch that was checked, in the way the file will show them.
    mutating func apply(_ batch: StoreBatch) -> StoreTableChange
}

extension WholeFileContent {
    var problems: [StoreVerification.Problem] { [] }
}

/// What one kind of store makes of its file.
protocol WholeFileFormat: Sendable {
    associatedtype Content: WholeFileContent

    /// What a file of this kind is called in messages: "property list".
    static var name: String { get }
    /// The type whose `repair(path:)` mends it.
    static var storeType: String { get }
    /// What no file holds.
    var empty: Content { get }

    /// Refuses values that no file of this kind can hold.
    func check(_ batch: StoreBatch) throws

    /// The file that counts among those at and beside `path`; `nil` when there is none.
    func current(at path: String, on fileSystem: any FileSystem) throws -> (path: String, information: FileInformation)?

    /// What the bytes hold. Throws ``DocumentDamage`` or ``StoreError``.
    func decode(_ bytes: [UInt8]) throws -> Content

    /// The bytes that hold `content`. Throws ``StoreError`` for an entry that can't be written.
    func encode(_ content: Content) throws -> [UInt8]

    /// What can be read of damaged bytes, and what can't. Throws what ``decode(_:)`` throws but damage, rather than drop what a newer
    /// version or another program wrote well.
    func salvage(_ bytes: [UInt8]) throws -> (content: Content, problems: [StoreVerification.Problem])

    /// Puts `bytes` in the place of the file that was `seen`; after any crash the old content is there or the new one.
    ///
    /// - Returns: Why the disk did not confirm a file that is in place, if it did not.
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
        try fileSystem.replaceContentsOrTell(of: path, with: bytes)
    }
}

extension FileSystem {
    /// Puts `bytes` in the place of a file in one step.
    ///
    /// - Returns: Why the disk did not confirm a file that is in place, if it did not.
    func replaceContentsOrTell(of path: String, with bytes: [UInt8]) throws -> FileError? {
        do {
            try replaceContents(of: path, with: bytes)
            return nil
        } catch let error as FileError {
            // The new file is in place already when only the folder can't be synced: everybody can see it.
            guard error.operation == .synchronize, error.path == FilePath.folder(of: path) else { throw error }
            return error
        }
    }
}
