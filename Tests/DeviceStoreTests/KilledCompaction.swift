import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

/// A process that compacts a store and is killed when its file is in the place of the log, before it says so.
struct KilledCompaction {
    let store: DeviceStore
    private let fileSystem: KilledWhenRenamed

    init(on lying: LyingStore) throws {
        let fileSystem = KilledWhenRenamed(LyingProcess(on: lying.disk))
        store = try lying.open { $0.environment.fileSystem = fileSystem }
        self.fileSystem = fileSystem
    }

    func compact() {
        fileSystem.isArmed.store(true, ordering: .relaxed)
        #expect(throws: StoreError.self) { try store.compact() }
        #expect(fileSystem.process.wasKilled)
        fileSystem.process.bury()
    }
}

private final class KilledWhenRenamed: ForwardingFileSystem {
    let process: LyingProcess
    var base: any FileSystem { process }
    let isArmed = Atomic(false)

    init(_ process: LyingProcess) { self.process = process }

    func calling<Result>(
        _ operation: FileError.Operation,
        _ path: String,
        _ body: () throws -> Result
    ) throws -> Result {
        let result = try body()
        if operation == .rename, isArmed.load(ordering: .relaxed) { process.kill() }
        return result
    }
}
