#if Objects
import Foundation

/// The volume of the proofs of object storage, which `Scripts/torture.sh objects` sets in the environment.
enum Torture {
    private static let environment = ProcessInfo.processInfo.environment

    /// Whether the proofs run at length.
    static let isRunning = environment["LARDER_TORTURE"] != nil
    /// Whether a slow build, such as one with a sanitizer, runs a small part of the proofs.
    static let isSmall = environment["LARDER_PROOFS"] == "few"
    /// The number of random pairs of models.
    static let pairs = number("LARDER_PAIRS") ?? (isSmall ? 400 : 10_000)
    /// The number of interrupted migrations.
    static let kills = number("LARDER_OBJECT_KILLS") ?? 1_000
    /// The number of killed processes that write to a shared file.
    static let sharedKills = number("LARDER_SHARED_KILLS") ?? (isSmall ? 50 : 500)
    /// The number of damaged files to salvage.
    static let files = number("LARDER_SALVAGED") ?? 1_000
    /// The number of random chains of versions.
    static let chains = number("LARDER_CHAINS") ?? 1
    /// The number of random saves that lists follow.
    static let saves = number("LARDER_SAVES") ?? (isSmall ? 1_000 : 10_000)
    /// The number of random programs whose histories are replayed.
    static let programs = number("LARDER_PROGRAMS") ?? (isSmall ? 40 : 160)
    /// The number of killed processes whose histories are replayed.
    static let historyKills = number("LARDER_HISTORY_KILLS") ?? (isSmall ? 2 : 5)
    /// The first seed.
    static let seed = UInt64(number("LARDER_SEED") ?? 1)

    private static func number(_ name: String) -> Int? { environment[name].flatMap { Int($0) } }

    /// Prints what a proof did, if the proofs run at length.
    static func say(_ text: String) {
        guard isRunning else { return }
        FileHandle.standardOutput.write(Data("torture: \(text), seed \(seed)\n".utf8))
    }
}
#endif
