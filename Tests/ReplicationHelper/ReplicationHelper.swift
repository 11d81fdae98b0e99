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
///
/// If CLUSTER is an address of PostgreSQL, the fifth argument is a number of increments; see `Increments`.
@main struct ReplicationHelper {
    private static func open(_ path: String) throws -> DeviceStore {
        var options = DeviceStoreOptions()
        // On a busy machine, other processes may hold the lock for a long time.
        options.environment.lockLimit = .seconds(120)
        return try openAfterKill { try retryWhileBusy { try DeviceStore(path: path, options: options) } }
    }

    static func main() async throws {
        HeldProcess.exitWhenInputCloses()
        let arguments = CommandLine.arguments
        guard [5, 6].contains(arguments.count) else { exit(2) }
        let base = try open(arguments[1])
        let acknowledged = try AcknowledgedNumber(arguments[4])
        #if Postgres
        if arguments.count == 6, let count = Int64(arguments[5]) {
            return try await Increments(
                replica: base,
                address: arguments[2],
                name: arguments[3],
                count: count,
                acknowledged: acknowledged
            ).run()
        }
        #endif
        let engine = try StoredEngine(open(arguments[2]))
        var replicatedOptions = ReplicatedStoreOptions()
        replicatedOptions.deadline = .seconds(120)
        let store = try ReplicatedStore(replica: base, engine: engine, options: replicatedOptions)
        Task { await store.run() }
        let key = StoreKey(arguments[3])
        while true {
            let last = try store.get(key)
            guard case .int(let number) = last ?? .int(0) else { exit(4) }
            guard try store.compareAndSet(key, expecting: last, to: .int(number + 1)) else { exit(5) }
            if number % 10 == 0 {
                try await store.set(.int(number), for: StoreKey(arguments[3] + ".replicated"), durability: .replicated)
            }
            try acknowledged.record(number + 1)
        }
    }
}

/// A file with the last number whose commit has returned.
struct AcknowledgedNumber {
    private let path: String
    private let file: FileHandle

    init(_ path: String) throws {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        guard let file = FileHandle(forWritingAtPath: path) else { exit(2) }
        self.path = path
        self.file = file
    }

    func record(_ number: Int64) throws {
        try file.seek(toOffset: 0)
        try withUnsafeBytes(of: number.littleEndian) { try file.write(contentsOf: Data($0)) }
    }

    /// Records that the disk of the replica is full.
    func recordFullDisk() { _ = FileManager.default.createFile(atPath: path + ".full", contents: nil) }
}
