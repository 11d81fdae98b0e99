import DeviceStoreProofs
import LarderCore
import LarderDeviceStore
import LarderTestSupport
import LarderTestTraits
import Testing

#if os(Linux)
/// Tests of the owner lock, by which a process claims the right to write a store, in a process that forks.
///
/// See decision 0044.
@Suite(.serialized) struct DeviceStoreOwnerForkTests {
    private func run(_ what: String, _ io: DeviceStoreOptions.IO) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("s.larder")
        _ = try HelperProcess("forkOwner", io, path, [what]).finish()
        #expect(try DeviceStore(path: path).verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func forkedChildCannotUseStoreOrReleaseLock(io: DeviceStoreOptions.IO) throws { try run("childUses", io) }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func forkedChildReleasesOnlyOwnLock(io: DeviceStoreOptions.IO) throws {
        try run("childOpens", io)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func closeReleasesLockWhileForkedChildRuns(io: DeviceStoreOptions.IO) throws {
        try run("parentCloses", io)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func forkedChildKeepsLockAfterParentExits(io: DeviceStoreOptions.IO) throws { try run("parentDies", io) }
}
#endif
