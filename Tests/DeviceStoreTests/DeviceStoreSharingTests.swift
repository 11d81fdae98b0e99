import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Tests of real processes that share a file.
@Suite(.serialized) struct DeviceStoreSharingTests {
    let directory: TemporaryDirectory
    var path: String { directory.path("s.larder") }

    init() throws { directory = try TemporaryDirectory() }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func commitByAnotherProcessNotifiesObservers(io: DeviceStoreOptions.IO) async throws {
        var options = DeviceStoreOptions()
        // Only a wake-up can deliver the commit in time.
        options.environment.tick = .seconds(3600)
        let store = try DeviceStore(path: path, options: options)
        let seen = Mutex<[StoredValue?]>([])
        let observation = store.observe(prefix: "") { event in
            if case .change(let change) = event { seen.withLock { $0 += change.entries.map(\.new) } }
        }
        for number in 1...3 {
            _ = try HelperProcess("set", io, path, ["a", "\(number)"]).finish()
            try await waitUntil("change \(number)") { seen.withLock { $0.last } == .int(Int64(number)) }
        }
        #expect(seen.withLock { $0 } == [.int(1), .int(2), .int(3)])
        observation.cancel()
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func forkedChildCannotUseParentStore(io: DeviceStoreOptions.IO) throws {
        _ = try HelperProcess("fork", io, path).finish()
        let store = try DeviceStore(path: path, options: .with(io))
        #expect(try store.get("a") == .int(3))
        #expect(try store.verify().isIntact)
    }

    @Test func writeThrowsAfterMappedLogIsTruncated() throws {
        let store = try DeviceStore(path: path, options: .with(.mapped))
        try store.set(.int(1), for: "a")
        #expect(truncate(path, 0) == 0)
        let error = #expect(throws: StoreError.self) {
            for number in 2..<10_000 { try store.set(.int(Int64(number)), for: "a") }
        }
        #expect([.inputOutput, .closed, .damaged].contains(error?.code))
        #expect(try store.get("a") != nil)
    }

    /// Options for a memory-mapped store without automatic maintenance.
    ///
    /// Otherwise, an automatic sync may detect the truncation first and close the store.
    private var mappedAndLeftAlone: DeviceStoreOptions {
        var options = DeviceStoreOptions.with(.mapped)
        options.environment.isAutomatic = false
        return options
    }

    /// Truncates several logs in succession, so that the signal handler runs on a thread that has recovered before.
    @Test func threadRecoversFromSeveralMappedLogTruncations() throws {
        for number in 1...3 {
            let path = directory.path("s\(number).larder")
            let store = try DeviceStore(path: path, options: mappedAndLeftAlone)
            try store.set(.int(1), for: "a")
            _ = try HelperProcess("cut", .mapped, path).finish()
            #expect(code { try store.set(.int(2), for: "a") } == .inputOutput)
            #expect(code { try store.set(.int(3), for: "a") } == .closed)
            #expect(try store.get("a") == .int(1))
        }
    }

    @Test func threadsThrowWhenSeveralMappedLogsAreTruncated() throws {
        let stores = try (1...8).map { number in
            let store = try DeviceStore(path: directory.path("s\(number).larder"), options: mappedAndLeftAlone)
            try store.set(.int(1), for: "a")
            return store
        }
        for store in stores { _ = try HelperProcess("cut", .mapped, store.path).finish() }
        let codes = Mutex<[StoreError.Code?]>([])
        DispatchQueue.concurrentPerform(iterations: stores.count) { index in
            let found = code { try stores[index].set(.int(2), for: "a") }
            codes.withLock { $0.append(found) }
        }
        #expect(codes.withLock { $0 } == stores.map { _ in .inputOutput })
        for store in stores { #expect(try store.get("a") == .int(1)) }
    }
}
