import LarderCore
import LarderFiles

/// A type-erased ``WholeFile``, which lets ``WholeFileStore`` use files of any format.
protocol StoreFile: AnyObject, Sendable {
    /// The name of the file format in messages, such as "property list".
    var formatName: String { get }
    var path: String { get }
    var issues: IssueChannel { get }
    var hub: StoreChangeHub { get }

    func open(whenDamaged: StoreFileDamagePolicy) throws
    func revision() throws -> UInt64
    func value(for key: StoreKey) throws -> StoredValue?
    func entries(prefix: String) throws -> [StoreEntry]
    /// Returns a consistent snapshot of the entries, including those with reserved keys.
    func table() throws -> StoreTable
    /// Returns the problems that make parts of the file unreadable.
    func problems() throws -> [StoreVerification.Problem]
    func check(_ batch: StoreBatch) throws
    func commit(_ batch: StoreBatch, _ durability: Durability) throws -> Bool
    func commit(_ batch: StoreBatch, _ durability: Durability) async throws -> Bool
    func flush() throws
    func flush() async throws
    func verify(telling progress: (StoreProgress) throws -> Void) throws -> StoreVerification
    func contents() throws -> (bytes: [UInt8], information: FileInformation, file: any OpenFile)?
    func make() throws
    /// Returns the size of the file in bytes, or 0 if there is no file.
    func size() throws -> Int
}

extension WholeFile: StoreFile {
    var formatName: String { Format.name }

    func revision() throws -> UInt64 { try read(\.revision) }

    func entries(prefix: String) throws -> [StoreEntry] { try read(\.content.table).entries(prefix: prefix) }

    func table() throws -> StoreTable { try read(\.content.table) }

    func problems() throws -> [StoreVerification.Problem] { try read(\.content.problems) }

    func size() throws -> Int {
        try StoreError.wrapping(path) { try format.current(at: path, on: fileSystem)?.information.size ?? 0 }
    }
}
