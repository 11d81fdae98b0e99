import Foundation

/// How much of each proof a test run does: a tenth with `LARDER_PROOFS=few` in the environment, for builds that a sanitizer slows
/// down.
package enum ProofVolume {
    /// Whether it is a tenth.
    package static let isSmall = ProcessInfo.processInfo.environment["LARDER_PROOFS"] == "few"

    /// From each of so many on to the next, or to the eleventh: not to the tenth, which could leave out the same bits always.
    package static let step = isSmall ? 11 : 1

    /// So many, or a tenth of it.
    package static func of(_ count: Int) -> Int { isSmall ? max(1, count / 10) : count }
}
