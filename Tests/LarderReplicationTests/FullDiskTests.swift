import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderReplication
import LarderStores
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// A replica whose disk is full.
@Suite(.expectsIssues(.degraded, .rolledBack))
struct FullDiskTests {
    private let cluster = SimulatedCluster(seed: 38)
    private let disk = SimulatedFileSystem(directories: ["/data"], isRecording: false)

    private func machine() throws -> Machine {
        var options = DeviceStoreOptions()
        options.io = .systemCalls
        options.environment.fileSystem = disk
        options.environment.isShared = false
        options.environment.isAutomatic = false
        return try Machine(cluster, "a", replica: DeviceStore(path: "/data/replica.larder", options: options))
    }

    @Test func fullDiskLosesNothing() async throws {
        let (a, b) = (try machine(), try Machine(cluster, "b"))
        try a.store.set(1, for: "mine")
        try await a.exchange()
        try a.store.set(2, for: "mine")
        try b.store.set(1, for: "theirs")
        try await b.exchange()
        disk.fail(at: disk.operationCount, errno: ENOSPC, forever: true, only: [.write])
        let written = #expect(throws: StoreError.self) { try a.store.set(3, for: "mine") }
        #expect(written?.code == .diskFull)
        let applied = await #expect(throws: StoreError.self) { try await a.store.pull() }
        #expect(applied?.code == .diskFull)
        await #expect(throws: StoreError.self) { try await a.exchange() }
        #expect(try a.store.entries() == StoreEntry.entries(["mine": 2]))
        #expect(try a.store.verify().problems == [])
        disk.stopFailing()
        try await a.exchange()
        try a.expectAgreement(with: cluster)
        #expect(try a.store.entries() == StoreEntry.entries(["mine": 2, "theirs": 1]))
        #expect(try a.store.rejected().isEmpty)
    }

    @Test(arguments: 0..<8) func diskThatIsFullForOneCallLosesNothing(place: Int) async throws {
        let (a, b) = (try machine(), try Machine(cluster, "b"))
        try await a.exchange()
        try b.store.set(1, for: "x")
        try await b.exchange()
        // One commit that the cluster refuses, one that stood on it, and one that is made.
        for number in 1...2 {
            #expect(try a.store.compareAndSet("x", expecting: number == 1 ? nil : 10, to: .int(Int64(number * 10))))
        }
        try a.store.set(1, for: "mine")
        disk.fail(at: disk.operationCount + place, errno: ENOSPC)
        for _ in 0..<2 { try? await a.exchange() }
        disk.stopFailing()
        try await a.exchange()
        try a.expectAgreement(with: cluster)
        #expect(try a.store.entries() == StoreEntry.entries(["mine": 1, "x": 1]))
        #expect(try a.store.rejected().map(\.reason) == [.refused, .stoodOnRejected])
    }
}
