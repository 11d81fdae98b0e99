import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

/// A process that is killed during a compaction, after it has replaced the log and before it announces the replacement.
struct KilledCompaction {
    let store: DeviceStore
    private let fileSystem: KilledWhenRenamed

    init(on fixture: StoreFixture) throws {
        let fileSystem = KilledWhenRenamed(SimulatedProcess(on: fixture.disk))
        store = try fixture.open { $0.environment.fileSystem = fileSystem }
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
    let process: SimulatedProcess
    var base: any FileSystem { process }
    let isArmed = Atomic(false)

    init(_ process: SimulatedProcess) { self.process = process }

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
