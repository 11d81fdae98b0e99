import DeviceStoreProofs
import Foundation
import LarderCore
import LarderStores
import LarderTestSupport
import Testing

@Suite struct DeviceStoreModelTests {
    /// 100,000 steps for each way to reach the file, unless the environment asks for more.
    private static let stepsOfASeed =
        ProcessInfo.processInfo.environment["LARDER_MODEL_STEPS"].flatMap { Int($0) }.map { $0 / 20 }
        ?? ProofVolume.of(5_000)

    @Test(arguments: DeviceStoreOptions.IO.allCases, 0..<20)
    func randomProgramsAgreeWithADictionaryAndWithSQLite(io: DeviceStoreOptions.IO, seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let steps = (0..<Self.stepsOfASeed).map { _ in ModelStep.random(&generator) }
        guard ModelRun.failure(of: steps, io) != nil else { return }
        let small = ModelRun.shrunk(steps, io)
        Issue.record("seed \(seed): \(ModelRun.failure(of: small, io) ?? "") in \(small)")
    }
}
