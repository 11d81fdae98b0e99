import LarderCore
import LarderFiles
import LarderStores

/// Copies the file of a store that always replaces it as a whole: the one that the store reads, as it is at one moment.
struct FileBackup {
    let source: WholeFileStore
    let destination: String
    private static let blockSize = 1 << 20

    init(of source: WholeFileStore, to destination: String) {
        self.source = source
        self.destination = destination
    }

    /// - Throws: ``CommandFailure`` or ``StoreError``; then nothing is at the destination.
    func run(_ progress: (StoreProgress) -> Void) throws {
        let name = source.inspectionName
        guard let bytes = try source.fileContents() else {
            throw CommandFailure.notFound("There is no file at \(name).")
        }
        do {
            try LocalFileSystem().create(destination) { copy in
                for offset in stride(from: 0, to: bytes.count, by: Self.blockSize) {
                    let block = bytes[offset..<min(offset + Self.blockSize, bytes.count)]
                    try copy.write(Array(block), at: offset)
                    progress(StoreProgress(completed: block.endIndex, total: bytes.count))
                }
            }
        } catch let error as FileError where error.code == .alreadyExists {
            throw CommandFailure.usage("There is something at \(destination): give a path where nothing is.")
        } catch {
            throw CommandFailure.storage("\(name) could not be copied to \(destination): \(error)")
        }
    }
}
