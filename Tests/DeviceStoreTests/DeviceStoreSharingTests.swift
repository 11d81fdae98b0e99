import DeviceStoreProofs
import Foundation
import LarderCore
import LarderFiles
import LarderStores
import LarderTestSupport
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What real processes do to one another, and to the file.
@Suite(.serialized) struct DeviceStoreSharingTests {
    let directory: TemporaryDirectory
    var path: String { directory.path("s.larder") }

    init() throws { directory = try TemporaryDirectory() }

    @Test func aCommitOfAnotherProcessWakesWhoeverObserves() async throws {
        var options = DeviceStoreOptions()
        // Nothing but being woken can tell it in time.
        options.environment.tick = .seconds(3600)
        let store = try DeviceStore(path: path, options: options)
        let seen = Mutex<[StoredValue?]>([])
        let observation = store.observe(prefix: "") { event in
            if case .change(let change) = event { seen.withLock { $0 += change.entries.map(\.new) } }
        }
        for number in 1...3 {
            _ = try HelperProcess("set", .systemCalls, path, ["a", "\(number)"]).finish()
            try await waitUntil("change \(number)") { seen.withLock { $0.last } == .int(Int64(number)) }
        }
        #expect(seen.withLock { $0 } == [.int(1), .int(2), .int(3)])
        observation.cancel()
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func aForkedChildCannotUseTheStoreOfItsParent(io: DeviceStoreOptions.IO) throws {
        _ = try HelperProcess("fork", io, path).finish()
        let store = try DeviceStore(path: path, options: .with(io))
        #expect(try store.get("a") == .int(3))
        #expect(try store.verify().isIntact)
    }

    @Test func aFileCutByOthersIsAnErrorNotASignal() throws {
        let store = try DeviceStore(path: path, options: .with(.mapped))
        try store.set(.int(1), for: "a")
        #expect(truncate(path, 0) == 0)
        let error = #expect(throws: StoreError.self) {
            for number in 2..<10_000 { try store.set(.int(Int64(number)), for: "a") }
        }
        #expect([.inputOutput, .closed, .damaged].contains(error?.code))
        #expect(try store.get("a") != nil)
    }
}
