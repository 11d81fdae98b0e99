import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Tests that an issue handler may use any store, because no lock is held.
@Suite(.serialized) struct DeviceStoreIssueTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("s.larder") }

    init() throws { directory = try TemporaryDirectory() }

    @Test func issueHandlerCanOpenAnotherStoreDuringOpen() throws {
        try DeviceStore(path: path).close()
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: 1_000)
        try file.write(contentsOf: [1])
        try file.close()
        let log = directory.path("log.larder")
        let store = try withIssueHandler { issue in
            expectNoError { try DeviceStore(path: log).set(.string(issue.message), for: "flaw") }
        } operation: {
            try DeviceStore(path: path)
        }
        #expect(try DeviceStore(path: log).count() == 1)
        try store.compact()
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: [false, true]) func issueHandlerCanCallStoreAfterControlFileTruncation(byReading: Bool) throws {
        let store = try DeviceStore(path: path)
        try store.set(1, for: "a")
        let heard = Atomic(0)
        withIssueHandler { _ in
            heard.wrappingAdd(1, ordering: .relaxed)
            // By now, this call fails as every other call does.
            #expect(throws: StoreError.self) { _ = try store.get("a") }
            #expect(throws: StoreError.self) { try store.set(3, for: "a") }
        } operation: {
            #expect(truncate(path + ".ctl", 0) == 0)
            #expect(throws: StoreError.self) {
                if byReading { _ = try store.get("a") } else { try store.set(2, for: "a") }
            }
        }
        #expect(heard.load(ordering: .relaxed) == 1)
        try? store.close()
        #expect(try DeviceStore(path: path).verify().isIntact)
    }
}

private func expectNoError(_ body: () throws -> Void) {
    #expect(throws: Never.self) { try body() }
}
