import DeviceStoreProofs
import LarderDeviceStore
import LarderTestSupport
import Testing

/// Tests of stores in processes with a low limit on open files.
@Suite struct DeviceStoreDescriptorTests {
    /// Returns the limits on open files to test, beginning with `first`.
    ///
    /// A program is started for each limit. A sanitizer slows the programs down, so a build with a sanitizer tests only a third of the
    /// limits.
    private func limits(from first: Int) -> StrideThrough<Int> {
        stride(from: first, through: 40, by: ProofVolume.isSmall ? 3 : 1)
    }

    /// Returns the outcome of each call that the helper process makes with `limit` as the maximum number of open files.
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
    func blockingCallsSucceedOrThrowOpenFileLimitError(io: DeviceStoreOptions.IO) throws {
        var calls: Int?
        for limit in limits(from: 3) {
            let outcomes = try outcomes(io, limit: limit)
            #expect(outcomes.count >= 38)
            #expect(calls == nil || calls == outcomes.count, "A call was left out with \(limit) descriptors.")
            calls = outcomes.count
            if limit == 3 { #expect(outcomes["use a store"] == "refused") }
            // One store needs ten descriptors.
            if limit >= 10 { #expect(outcomes["use a store"] == "done") }
            if limit >= 20 { #expect(outcomes.values.allSatisfy { $0 == "done" }, "\(limit): \(outcomes)") }
        }
    }

    /// Begins with a limit of 8 open files, because Swift's runtime needs 8 descriptors.
    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func asyncCallsSucceedOrThrowOpenFileLimitError(io: DeviceStoreOptions.IO) throws {
        for limit in limits(from: 8) {
            let outcomes = try outcomes(io, limit: limit, mode: "suspendedWithDescriptors")
            #expect(outcomes.count == 9)
            // An open store needs no further descriptor.
            if limit >= 10 {
                for call in ["synced put", "synced puts at once", "flush"] { #expect(outcomes[call] == "done") }
            }
            if limit >= 12 { #expect(outcomes.values.allSatisfy { $0 == "done" }, "\(limit): \(outcomes)") }
        }
    }

    #if os(Linux)
    @Test func errorNamesThreadLimitWhenThreadCannotStart() throws {
        let directory = try TemporaryDirectory()
        let printed = try HelperProcess("threadless", .mapped, directory.path).finish()
        #expect(printed.contains("ulimit -u") && printed.hasSuffix("used\n"))
    }

    @Test func observerIsNotifiedAfterWatcherThreadStarts() throws {
        let directory = try TemporaryDirectory()
        #expect(try HelperProcess("threadlessWatcher", .mapped, directory.path).finish() == "watched\n")
    }
    #endif
}
