public import LarderCore
import LarderFiles

// What inspection tools display of a store in a single file, beyond what they display of every store.
extension WholeFileStore {
    private static var blockSize: Int { 1 << 20 }

    /// Returns the number of entries unless the file is corrupt, the size and the health of the file, and what the store guarantees.
    public func inspectionFacts() throws -> [InspectionFact] {
        let size = InspectionFact("file bytes", String(try file.size()))
        do {
            let facts = [InspectionFact("entries", String(try entryCount())), size]
            return facts + [InspectionFact("health", try health())] + guaranteeFacts
        } catch let error as StoreError where error.code == .damaged {
            return [size, InspectionFact("health", error.message)] + guaranteeFacts
        }
    }

    /// Returns the sentence that describes the state of the file.
    private func health() throws -> String {
        let problems = try file.problems()
        guard let first = problems.first else { return "good" }
        return "\(counted(problems.count, "part", "parts")) of the file can't be read, such as: \(first.message)"
    }

    /// Returns the number of entries, the size of the file, and the number of commits that changed a value.
    public func inspectionStatistics() throws -> [InspectionStatistic] {
        [
            InspectionStatistic("entries", Double(try entryCount())),
            InspectionStatistic("file bytes", Double(try file.size()), .gauge, .bytes),
            InspectionStatistic("commits", Double(try revision), .counter),
        ]
    }

    /// The actions "verify" and "backup".
    public var inspectionActions: [InspectionAction] { [.verify, .backup(path)] }

    /// Carries out one of ``inspectionActions``.
    @available(*, noasync, message: "This call blocks until the action ends. Call it on a thread of its own.")
    public func perform(
        _ action: InspectionAction,
        writingTo file: String?,
        progress: (StoreProgress) throws -> Void
    ) throws -> [InspectionFact] {
        if action.name == InspectionAction.verify.name {
            return try runVerification(telling: progress).inspectionFacts
        }
        guard action.name == InspectionAction.backup(path).name, let file else { return [] }
        try backup(to: file, progress)
        return []
    }

    /// Copies the file, which is always replaced as a whole, to a new file.
    private func backup(to destination: String, _ progress: (StoreProgress) throws -> Void) throws {
        let bytes = try fileContents() ?? []
        var cancellation: (any Error)?
        do {
            let fileSystem = LocalFileSystem.local
            let mode = FileOpenMode(isWritable: true, creation: .always, followsLinks: false)
            let copy = try fileSystem.open(destination, mode)
            do {
                for offset in stride(from: 0, to: bytes.count, by: Self.blockSize) {
                    let block = bytes[offset..<min(offset + Self.blockSize, bytes.count)]
                    try copy.write(Array(block), at: offset)
                    do {
                        try progress(StoreProgress(completed: block.endIndex, total: bytes.count))
                    } catch {
                        cancellation = error
                        throw error
                    }
                }
                try copy.synchronize(.everything)
                try fileSystem.synchronizeDirectory(at: FilePath.folder(of: destination))
            } catch {
                // Only the first error is thrown, because on a failing disk, removing the file may fail for the same reason.
                try? fileSystem.remove(destination)
                throw error
            }
        } catch {
            if let cancellation { throw cancellation }
            throw StoreError(
                .inputOutput,
                "The backup \(destination.debugDescription) can't be written. Choose a new file in a folder with free space.",
                path: destination,
                underlying: error
            )
        }
    }
}

extension WholeFileStore: VerifyingStore {
    package func runVerification(telling progress: (StoreProgress) throws -> Void) throws -> StoreVerification {
        try file.verify(telling: progress)
    }
}
