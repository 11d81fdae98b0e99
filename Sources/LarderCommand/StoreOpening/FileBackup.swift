import LarderCore
import LarderFiles

/// Copies the file of a store that always replaces it as a whole: what was opened is the store of one moment, whatever happens
/// to the path meanwhile.
struct FileBackup {
    let source: String
    let destination: String
    private static let blockSize = 1 << 20

    init(from source: String, to destination: String) {
        self.source = source
        self.destination = destination
    }

    /// - Throws: ``CommandFailure``; then nothing is at the destination.
    func run(_ progress: (StoreProgress) -> Void) throws {
        let fileSystem = LocalFileSystem()
        do {
            let original = try fileSystem.open(source, .reading)
            let size = try original.information().size
            try fileSystem.create(destination) { copy in
                for offset in stride(from: 0, to: size, by: Self.blockSize) {
                    let count = min(Self.blockSize, size - offset)
                    try copy.write(try original.read(at: offset, count: count), at: offset)
                    progress(StoreProgress(completed: offset + count, total: size))
                }
            }
        } catch let error as FileError where error.code == .alreadyExists {
            throw CommandFailure.usage("There is something at \(destination): give a path where nothing is.")
        } catch {
            throw CommandFailure.storage("\(source) could not be copied to \(destination): \(error)")
        }
    }
}
