import DeviceStoreProofs
import LarderDeviceStore
import LarderTestSupport
import Testing

/// Stores in processes that may have only a few files open.
@Suite struct DeviceStoreDescriptorTests {
    /// What each call of the helper came to under a limit.
    private func outcomes(
        _ io: DeviceStoreOptions.IO,
        limit: Int,
        mode: String = "descriptors"
    ) throws -> [String: String] {
        let directory = try TemporaryDirectory()
        let printed = try HelperProcess(mode, io, directory.path, ["\(limit)"]).finish()
        return Dictionary(
            uniqueKeysWithValues: printed.split(separator: "\n").map { line in
                let parts = line.split(separator: ": ")
                return ("\(parts[0])", "\(parts[parts.count - 1])")
            }
        )
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func everyBlockingCallWorksOrNamesTheLimitWithFewDescriptors(io: DeviceStoreOptions.IO) throws {
        var calls: Int?
        for limit in 3...40 {
            let outcomes = try outcomes(io, limit: limit)
            #expect(outcomes.count >= 38)
            #expect(calls == nil || calls == outcomes.count, "A call was left out with \(limit) descriptors.")
            calls = outcomes.count
            if limit == 3 { #expect(outcomes["use a store"] == "refused") }
            // A handful of descriptors is enough for one store.
            if limit >= 10 { #expect(outcomes["use a store"] == "done") }
            if limit >= 20 { #expect(outcomes.values.allSatisfy { $0 == "done" }, "\(limit): \(outcomes)") }
        }
    }

    /// Fewer than 8 are too few for Swift's run-time itself.
    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func everySuspendingCallWorksOrNamesTheLimitWithEightDescriptorsOrMore(io: DeviceStoreOptions.IO) throws {
        for limit in 8...40 {
            let outcomes = try outcomes(io, limit: limit, mode: "suspendedWithDescriptors")
            #expect(outcomes.count == 9)
            if limit >= 20 { #expect(outcomes.values.allSatisfy { $0 == "done" }, "\(limit): \(outcomes)") }
        }
    }

    #if os(Linux)
    @Test func storeSaysThatNoThreadCanBeStarted() throws {
        let directory = try TemporaryDirectory()
        let printed = try HelperProcess("threadless", .mapped, directory.path).finish()
        #expect(printed.contains("ulimit -u") && printed.hasSuffix("used\n"))
    }

    @Test func watcherIsStartedOnceAThreadCanBe() throws {
        let directory = try TemporaryDirectory()
        #expect(try HelperProcess("threadlessWatcher", .mapped, directory.path).finish() == "watched\n")
    }
    #endif
}
