import Foundation

/// The volume of the proofs in a test run.
///
/// `LARDER_PROOFS=few` in the environment reduces the volume to a tenth, for slow sanitizer builds.
package enum ProofVolume {
    /// Whether the volume is reduced to a tenth.
    package static let isSmall = ProcessInfo.processInfo.environment["LARDER_PROOFS"] == "few"

    /// The distance between checks.
    ///
    /// The reduced volume uses 11, because a distance of 10 could always skip the same bits.
    package static let step = isSmall ? 11 : 1

    /// Returns `count`, or a tenth of it.
    package static func of(_ count: Int) -> Int { isSmall ? max(1, count / 10) : count }
}
