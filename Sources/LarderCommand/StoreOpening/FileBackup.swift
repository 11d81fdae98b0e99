import LarderCore
import LarderFiles
import LarderStores

/// A backup of a single-file store.
///
/// The copy is consistent, because a single-file store always replaces its whole file.
struct FileBackup {
    let source: WholeFileStore
    let destination: String
    private static let blockSize = 1 << 20

    init(of source: WholeFileStore, to destination: String) {
        self.source = source
        self.destination = destination
    }

    /// Copies the store's file to the destination.
    ///
    /// - Throws: ``CommandFailure`` or `StoreError`. If the call throws, no new file is left at the destination.
    func run(_ progress: (StoreProgress) -> Void) throws {
        let name = source.inspectionName
        guard let bytes = try source.fileContents() else {
            throw CommandFailure.missingFile(name)
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
            throw CommandFailure.alreadyExists(destination)
        } catch {
            throw CommandFailure.notWritten(destination, error)
        }
    }
}
