import DeviceStoreProofs
import LarderDeviceStore
import LarderTestSupport

/// A simulated store and its disk, on which a test lays and finds what it wants; what a crash leaves is not logged.
struct LyingStore {
    static let path = SimulatedStore.path
    let disk: LyingFileSystem
    let io: DeviceStoreOptions.IO
    private var simulated: SimulatedStore { SimulatedStore(on: disk, io) }

    init(
        _ disk: LyingFileSystem = LyingFileSystem(directories: ["/data"]),
        io: DeviceStoreOptions.IO = .systemCalls
    ) {
        self.disk = disk
        self.io = io
    }

    /// Each is like another process.
    func open(_ change: (inout DeviceStoreOptions) -> Void = { _ in }) throws -> DeviceStore {
        try silently { try simulated.open(change) }
    }

    func options() -> DeviceStoreOptions { simulated.options() }
}

extension DeviceStoreOptions {
    /// The defaults, but for how commits are written.
    static func with(_ io: IO) -> DeviceStoreOptions {
        var options = DeviceStoreOptions()
        options.io = io
        return options
    }
}
