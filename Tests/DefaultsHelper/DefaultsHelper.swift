import Foundation
import LarderCore
import LarderDefaults
import LarderDeviceStore
import LarderTestSupport
import Synchronization

struct CountedKeys: DefaultsKeyStore {
    var count: DefaultsKey<Int> { .init("count", defaultValue: 0) }
    var losses: DefaultsKey<Int> { .init("losses", defaultValue: 0) }
}

/// A second process for the tests of typed defaults: `DefaultsHelper STORE WAY TIMES`.
///
/// The process adds 1 to the value under "count" TIMES times with WAY, which is `increment`, `modify` or `+=`. Then it writes the number of
/// reported lost updates to "losses".
@main struct DefaultsHelper {
    static func main() throws {
        HeldProcess.exitWhenInputCloses()
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let times = Int(arguments[3]) else { exit(2) }
        var options = DeviceStoreOptions()
        // On a busy machine, other processes may hold the lock for a long time.
        options.environment.lockLimit = .seconds(120)
        let store = try retryWhileBusy { try DeviceStore(path: arguments[1], options: options) }
        let adapter = DefaultsAdapter(store: store, keyStore: CountedKeys())
        let losses = Mutex(0)
        try withIssueHandler({ issue in
            guard issue.code == .lostUpdate, issue.key == "count" else { exit(4) }
            losses.withLock { $0 += 1 }
        }) {
            for _ in 0..<times {
                switch arguments[2] {
                case "increment": try adapter.increment(\.count)
                case "modify": try adapter.modify(\.count) { $0 += 1 }
                default: adapter.count += 1
                }
            }
        }
        try adapter.increment(\.losses, by: losses.withLock(\.self))
    }
}
