import Foundation

/// The volume of the proofs in a test run: a tenth with `LARDER_PROOFS=few` in the environment, for slow sanitizer builds.
package enum ProofVolume {
    /// Whether the volume is a tenth.
    package static let isSmall = ProcessInfo.processInfo.environment["LARDER_PROOFS"] == "few"

    /// The distance between checks: 11 rather than 10 for the small volume, which could always skip the same bits.
    package static let step = isSmall ? 11 : 1

    /// Returns `count`, or a tenth of it.
    package static func of(_ count: Int) -> Int { isSmall ? max(1, count / 10) : count }
}
