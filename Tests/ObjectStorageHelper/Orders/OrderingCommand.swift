#if Objects
import GRDB
import LarderObjects
import LarderTestSupport

/// Makes random changes of orders in turns: `orders PATH SEED ALLOWED SAVED`.
///
/// The command makes as many saves as the number in the file `ALLOWED`, and states in the file `SAVED` how many it has made. It ends when the
/// first number is negative.
struct OrderingCommand {
    private let manager: SQLiteStorageManager
    private let program: DatabaseQueue
    private let allowed: SharedNumber
    private let saved: SharedNumber
    private let seed: UInt64

    init(_ path: String, _ arguments: [String]) throws {
        guard arguments.count == 3 else { throw Misuse("ObjectStorageHelper orders PATH SEED ALLOWED SAVED") }
        manager = try RandomOrders.open(path)
        var configuration = Configuration()
        // The machine may be busy.
        configuration.busyMode = .timeout(60)
        program = try DatabaseQueue(path: path, configuration: configuration)
        seed = UInt64(try ObjectStorageHelper.number(arguments, 0))
        allowed = try SharedNumber(at: arguments[1])
        saved = try SharedNumber(at: arguments[2])
    }

    func run() async throws {
        var random = SplitMix64(seed: seed)
        var number: Int64 = 0
        while true {
            let last = number
            try await waitUntil(within: .seconds(600), "the next turn") { allowed.value < 0 || allowed.value > last }
            if allowed.value < 0 { break }
            while number < allowed.value {
                try await RandomOrders(seed: random.next()).save(in: manager, or: program)
                number += 1
                saved.value = number
            }
        }
        try program.close()
        try manager.close()
    }
}
#endif
