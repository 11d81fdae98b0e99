#if Postgres
import Foundation
import LarderCore
import LarderDeviceStore
import LarderPostgres
import LarderReplication

/// Increments that a process makes through a replica on PostgreSQL, however often it is killed, each exactly once.
///
/// Each step counts up two numbers: one of the process, by a commit that is queued and that expects the former number, and one of all
/// machines, by a transaction of the cluster that also records its step. At the end, the process replicates until it is killed.
struct Increments {
    let replica: DeviceStore
    let address: String
    let name: String
    let count: Int64
    let acknowledged: AcknowledgedNumber

    func run() async throws {
        var options = PostgresOptions()
        // With a shorter timeout, several machines on a busy processor mostly give up and try again.
        options.timeout = .seconds(3)
        options.pollingInterval = .milliseconds(500)
        var replicatedOptions = ReplicatedStoreOptions()
        replicatedOptions.deadline = .seconds(15)
        let store = try ReplicatedStore(
            replica: replica,
            engine: PostgresEngine(address, store: "flags", options: options),
            options: replicatedOptions
        )
        let running = Task { await store.run() }
        let watch = Task {
            while true {
                if store.freshness.failure?.contains("disk is full") == true { acknowledged.recordFullDisk() }
                try await SystemTimeSource().sleep(for: .milliseconds(20))
            }
        }
        defer { watch.cancel() }
        // Those before it were confirmed before the process was killed.
        let first = try Int64(store.confirmed.entries(prefix: "done.\(name).").count)
        for number in first..<max(first, count) {
            try await repeating { try countUp(number, in: store) }
            try await repeating { try await increment(number, in: store) }
            try acknowledged.record(number + 1)
        }
        try acknowledged.record(count)
        await running.value
    }

    /// Counts up the number of this process in the replica, unless the process was killed after it had done so.
    private func countUp(_ number: Int64, in store: ReplicatedStore) throws {
        let key = StoreKey("own.\(name)")
        let last = try store.get(key)
        if last == .int(number + 1) { return }
        guard last == (number == 0 ? nil : .int(number)) else { exit(4) }
        guard try store.compareAndSet(key, expecting: last, to: .int(number + 1)) else { exit(5) }
    }

    /// Counts up the number of all machines, unless an earlier attempt has done so without an answer.
    private func increment(_ number: Int64, in store: ReplicatedStore) async throws {
        try await store.clusterTransaction(attempts: 10_000) { transaction in
            let key = StoreKey("done.\(name).\(number)")
            guard try transaction.get(key) == nil else { return }
            let count = try transaction.value(Int.self, for: "count") ?? 0
            try transaction.set(count + 1, for: "count")
            try transaction.set(true, for: key)
        }
    }

    /// Repeats a step that failed because of a fault that passes.
    private func repeating(_ step: () async throws -> Void) async throws {
        while true {
            do {
                return try await step()
            } catch let error as StoreError where [.notConfirmed, .diskFull].contains(error.code) {
                try await SystemTimeSource().sleep(for: .milliseconds(5))
            }
        }
    }
}
#endif
