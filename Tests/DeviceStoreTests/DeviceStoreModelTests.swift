import DeviceStoreModel
import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport
import Testing

@Suite struct DeviceStoreModelTests {
    /// The number of steps per I/O method, which is 100,000 unless the environment sets another number.
    ///
    /// `make torture` runs five times as many.
    private static let stepsOfASeed =
        ProcessInfo.processInfo.environment["LARDER_MODEL_STEPS"].flatMap { Int($0) }.map { $0 / 20 }
        ?? ProofVolume.of(5_000)

    @Test(arguments: DeviceStoreOptions.IO.allCases, 0..<20)
    func randomOperationsMatchDictionaryAndSQLite(io: DeviceStoreOptions.IO, seed: UInt64) {
        let report = ModelRun.check(seed: seed, steps: Self.stepsOfASeed, io)
        #expect(report.problems(requiring: Self.stepsOfASeed) == [])
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases) func modelTestShrinksFailingProgramToFewSteps(
        io: DeviceStoreOptions.IO
    ) {
        var generator = SplitMix64(seed: 1)
        let steps = (0..<400).map { _ in ModelStep.random(&generator) }
        // Simulates a compaction that loses a key.
        func lose(_ step: ModelStep, _ store: DeviceStore) throws {
            if step == .compact { try store.remove("k3") }
        }
        #expect(ModelRun.failure(of: steps, io) == nil)
        #expect(ModelRun.failure(of: steps, io, meddling: lose) != nil)
        let small = ModelRun.shrunk(steps, io, meddling: lose)
        #expect(small.count <= 4, "\(small)")
        #expect(small.contains(.compact))
        #expect(ModelRun.failure(of: small, io, meddling: lose) != nil)
    }
}
