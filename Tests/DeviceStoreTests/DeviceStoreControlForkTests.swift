import DeviceStoreProofs
import LarderCore
import LarderDeviceStore
import LarderTestSupport
import Testing

/// Tests of a store that was opened before a fork and whose control file is truncated.
@Suite(.serialized) struct DeviceStoreControlForkTests {
    let directory: TemporaryDirectory
    var path: String { directory.path("s.larder") }

    init() throws { directory = try TemporaryDirectory() }

    private func run(_ who: String, _ io: DeviceStoreOptions.IO, isOnNetwork: Bool) throws {
        _ = try HelperProcess("forkCut", io, isOnNetwork: isOnNetwork, path, [who]).finish()
        #expect(try DeviceStore(path: path).verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, [false, true])
    func parentDetectsControlFileTruncatedByForkedChild(io: DeviceStoreOptions.IO, isOnNetwork: Bool) throws {
        try run("child", io, isOnNetwork: isOnNetwork)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, [false, true])
    func parentCanReopenStoreWhileForkedChildRuns(io: DeviceStoreOptions.IO, isOnNetwork: Bool) throws {
        try run("parent", io, isOnNetwork: isOnNetwork)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, [false, true])
    func forkedChildCanOpenStore(io: DeviceStoreOptions.IO, isOnNetwork: Bool) throws {
        try run("newStore", io, isOnNetwork: isOnNetwork)
    }
}
