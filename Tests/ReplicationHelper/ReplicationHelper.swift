import Foundation
import LarderCore
import LarderDeviceStore
import LarderReplication
import LarderTestSupport
import LarderTesting

/// The program `ReplicationHelper REPLICA CLUSTER NAME ACKNOWLEDGED`, which tests of replication start and kill.
///
/// The program counts up a number under the key NAME in a replica, by commits that expect the former number, until it is killed. It also
/// replicates whenever no other process does. Each number whose commit has returned is recorded in a file. Every tenth commit is a replicated
/// one of another key.
@main struct ReplicationHelper {
    private static func open(
        _ replica: String,
        _ cluster: String
    ) throws -> (replica: DeviceStore, cluster: DeviceStore) {
        var options = DeviceStoreOptions()
        // On a busy machine, other processes may hold the lock for a long time.
        options.environment.lockLimit = .seconds(120)
        return (
            try retryWhileBusy { try DeviceStore(path: replica, options: options) },
            try retryWhileBusy { try DeviceStore(path: cluster, options: options) }
        )
    }

    static func main() async throws {
        HeldProcess.exitWhenInputCloses()
        let arguments = CommandLine.arguments
        guard arguments.count == 5 else { exit(2) }
        let (base, cluster) = try open(arguments[1], arguments[2])
        let engine = try StoredEngine(cluster)
        var replicatedOptions = ReplicatedStoreOptions()
        replicatedOptions.deadline = .seconds(120)
        let store = try ReplicatedStore(replica: base, engine: engine, options: replicatedOptions)
        Task { await store.run() }
        let key = StoreKey(arguments[3])
        _ = FileManager.default.createFile(atPath: arguments[4], contents: nil)
        guard let acknowledged = FileHandle(forWritingAtPath: arguments[4]) else { exit(2) }
        while true {
            let last = try store.get(key)
            guard case .int(let number) = last ?? .int(0) else { exit(4) }
            guard try store.compareAndSet(key, expecting: last, to: .int(number + 1)) else { exit(5) }
            if number % 10 == 0 {
                try await store.set(.int(number), for: StoreKey(arguments[3] + ".replicated"), durability: .replicated)
            }
            try acknowledged.seek(toOffset: 0)
            try withUnsafeBytes(of: (number + 1).littleEndian) { try acknowledged.write(contentsOf: Data($0)) }
        }
    }
}
