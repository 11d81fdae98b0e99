import DeviceStoreProofs
import LarderDeviceStore
import LarderTestSupport

/// A store on a simulated disk whose content a test can set and inspect.
///
/// Issues that are reported while the store is opened are ignored, because they are expected after a simulated crash.
struct StoreFixture {
    static let path = SimulatedStore.path
    let disk: SimulatedFileSystem
    let io: DeviceStoreOptions.IO
    private var simulated: SimulatedStore { SimulatedStore(on: disk, io) }

    init(
        _ disk: SimulatedFileSystem = SimulatedFileSystem(directories: ["/data"]),
        io: DeviceStoreOptions.IO = .systemCalls
    ) {
        self.disk = disk
        self.io = io
    }

    /// Opens the store.
    ///
    /// Each instance behaves as if it were in another process.
    func open(_ change: (inout DeviceStoreOptions) -> Void = { _ in }) throws -> DeviceStore {
        try silently { try simulated.open(change) }
    }

    func options() -> DeviceStoreOptions { simulated.options() }
}

extension DeviceStoreOptions {
    /// Returns the default options with the given I/O method.
    static func with(_ io: IO) -> DeviceStoreOptions {
        var options = DeviceStoreOptions()
        options.io = io
        return options
    }
}
