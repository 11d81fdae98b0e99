#if Postgres
import CPostgresPeer
import Dispatch
import Foundation
import LarderCore
import LarderDeviceStore
import LarderPostgres
import LarderReplication
import Synchronization

enum ReplicationBenchmarkError: Error { case wrongResult }

/// A replica of a store in PostgreSQL.
final class ReplicaBench: Sendable {
    let store: ReplicatedStore
    private let running = Mutex<Task<Void, Never>?>(nil)

    /// Opens a replica, which does not replicate yet.
    init(_ path: String, _ address: String, _ name: String) throws {
        store = try ReplicatedStore(
            replica: DeviceStore(path: path),
            engine: PostgresEngine(address, store: name)
        )
    }

    deinit { running.withLock { $0?.cancel() } }

    /// Begins to replicate.
    func start() {
        let store = store
        running.withLock { $0 = Task { await store.run() } }
    }

    /// Ends replication, and returns when it has ended.
    func stop() {
        guard let task = running.withLock({ $0 }) else { return }
        task.cancel()
        // The task throws nothing.
        _ = try? blocking { await task.value }
    }

    /// Blocks until a condition holds.
    func wait(until condition: (ReplicationFreshness) -> Bool) throws {
        let limit = ContinuousClock.now + .seconds(120)
        while !condition(store.freshness) {
            guard ContinuousClock.now < limit else { throw ReplicationBenchmarkError.wrongResult }
            usleep(500)
        }
    }

    /// Replicates until nothing waits for the cluster.
    func drain() throws {
        start()
        try wait { $0.position != nil && $0.pending == 0 }
        stop()
    }
}

/// Runs asynchronous work and blocks until it has finished.
@discardableResult
func blocking<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws -> Value {
    let result = Mutex<Result<Value, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        let value: Result<Value, any Error>
        do { value = .success(try await work()) } catch { value = .failure(error) }
        result.withLock { $0 = value }
        done.signal()
    }
    done.wait()
    return try result.withLock { result in
        guard let result else { throw ReplicationBenchmarkError.wrongResult }
        return try result.get()
    }
}

extension StoredValue {
    /// The hexadecimal digits of the encoded value.
    var hexadecimal: String {
        get throws { try encoded().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
    }
}

/// A connection of libpq in C.
final class PostgresPeer: @unchecked Sendable {
    // Each row uses a peer on one thread at a time.
    private let peer: OpaquePointer

    init(_ address: String) throws {
        guard let peer = postgres_peer_open(address) else { throw ReplicationBenchmarkError.wrongResult }
        self.peer = peer
    }

    deinit { postgres_peer_close(peer) }

    func store(_ name: String) throws -> Int32 {
        let store = postgres_peer_store(peer, name)
        guard store >= 0 else { throw ReplicationBenchmarkError.wrongResult }
        return store
    }

    func commit(_ value: Int, for key: String, in store: Int32, notifies: Bool = false) throws {
        let encoded = try StoredValue.int(Int64(value)).hexadecimal
        guard postgres_peer_commit(peer, store, key, encoded, notifies) else {
            throw ReplicationBenchmarkError.wrongResult
        }
    }

    func run(_ statements: String) throws {
        guard postgres_peer_run(peer, statements) else { throw ReplicationBenchmarkError.wrongResult }
    }

    func waitForNotification() throws {
        guard postgres_peer_wait(peer) else { throw ReplicationBenchmarkError.wrongResult }
    }
}
#endif
