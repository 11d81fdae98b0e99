#if Postgres
import Dispatch
import Foundation
import LarderCore
import LarderDeviceStore
import LarderReplication

/// Measures a replicated store on PostgreSQL, compared with the store of its replica and with libpq in C.
extension Area {
    static func replication(_ address: String) -> Area {
        Area(
            name: "replication",
            rows: [
                reading(address), putting(address), replicating(address), arriving(address), catchingUp(address),
                loading(address),
            ]
        )
    }

    /// The suffix of the names of all stores, which are new in each run.
    private static let suffix = UUID().uuidString

    private static func reading(_ address: String) -> Row {
        .timed("read an Int locally, 10,000 keys") { folder in
            let keys = Keys(10_000)
            let bare = try DeviceStore(path: folder + "/bare.larder")
            let replica = try ReplicaBench(folder + "/replica.larder", address, "reading \(suffix)")
            for store in [bare, replica.store] as [any KeyValueStore] {
                var batch = StoreBatch()
                for (index, key) in keys.all.enumerated() { batch.set(.int(Int64(index)), for: StoreKey(key)) }
                _ = try store.commit(batch)
            }
            try replica.drain()
            let shuffled = keys.shuffled
            return [
                Contender("DeviceStore", operations: shuffled.count) { _ in
                    for key in shuffled { keep(try bare.get(key)) }
                },
                Contender("ReplicatedStore", operations: shuffled.count, goal: .timesFirst(1.1)) { _ in
                    for key in shuffled { keep(try replica.store.get(key)) }
                },
            ]
        }
    }

    private static func putting(_ address: String) -> Row {
        .timed("put an Int, buffered, 1,000 keys") { folder in
            let keys = Keys(1_000).shuffled
            let bare = try DeviceStore(path: folder + "/bare.larder")
            let replica = try ReplicaBench(folder + "/replica.larder", address, "putting \(suffix)")
            try replica.drain()
            return [
                Contender("DeviceStore", operations: keys.count) { round in
                    for key in keys { try bare.set(.int(Int64(round)), for: StoreKey(key)) }
                },
                // The queue is sent between the measurements, because sending needs the same processors.
                Contender(
                    "ReplicatedStore",
                    operations: keys.count,
                    goal: .timesFirst(2.5),
                    prepare: { try replica.drain() },
                    run: { round in
                        for key in keys { try replica.store.set(.int(Int64(round)), for: StoreKey(key)) }
                    }
                ),
            ]
        }
    }

    private static func replicating(_ address: String) -> Row {
        .timed("commit one Int in the cluster", rounds: 9) { folder in
            let name = "replicating \(suffix)"
            let replica = try ReplicaBench(folder + "/replica.larder", address, name)
            replica.start()
            try replica.wait { $0.position != nil }
            let peer = try PostgresPeer(address)
            let number = try peer.store(name)
            let count = 200
            return [
                Contender("the function commit, libpq in C", operations: count) { round in
                    for index in 0..<count { try peer.commit(round, for: "c\(index)", in: number) }
                    // Its commits are applied before the other contender is measured.
                    try peer.run("SELECT larder.announce(\(number))")
                    let marker = Int64(round)
                    try replica.wait { _ in (try? replica.store.get("c\(count - 1)")) == .int(marker) }
                },
                Contender("ReplicatedStore, .replicated", operations: count, goal: .timesFirst(1.5)) { round in
                    try blocking {
                        for index in 0..<count {
                            let key = StoreKey("s\(index)")
                            try await replica.store.set(.int(Int64(round)), for: key, durability: .replicated)
                        }
                    }
                },
            ]
        }
    }

    /// The time from a put on one machine to a change on another one.
    private static func arriving(_ address: String) -> Row {
        Row("a change of one machine is seen by another one, median of 500") { folder in
            let name = "arriving \(suffix)"
            let machines = try ["a", "b"].map { try ReplicaBench("\(folder)/\($0).larder", address, name) }
            for machine in machines { machine.start() }
            for machine in machines { try machine.wait { $0.position != nil } }
            let count = 500
            var (changes, notifications): ([Double], [Double]) = ([], [])
            let arrived = DispatchSemaphore(value: 0)
            let (sender, listener) = (try PostgresPeer(address), try PostgresPeer(address))
            try listener.run("LISTEN bench")
            // Another store, so that the machines do not have to follow these commits.
            let other = try ReplicaBench(folder + "/other.larder", address, "notifying \(suffix)")
            try other.drain()
            let number = try sender.store("notifying \(suffix)")
            for index in 0..<count {
                DispatchQueue.global().async {
                    try? listener.waitForNotification()
                    arrived.signal()
                }
                usleep(2_000)
                try notifications.append(
                    nanoseconds {
                        try sender.commit(index, for: "x", in: number, notifies: true)
                        arrived.wait()
                    }
                )
            }
            let observation = machines[1].store.observe(prefix: "x") { _ in arrived.signal() }
            for index in 0..<count {
                usleep(2_000)
                try changes.append(
                    nanoseconds {
                        try machines[0].store.set(.int(Int64(index)), for: "x")
                        arrived.wait()
                    }
                )
            }
            observation.cancel()
            for machine in machines { machine.stop() }
            return [
                Figure("commit and NOTIFY, libpq in C", median(notifications)),
                Figure("ReplicatedStore", median(changes), goal: .timesFirst(2)),
                Figure("ReplicatedStore, 99th percentile", changes.sorted()[count * 99 / 100]),
            ]
        }
    }

    private static func catchingUp(_ address: String) -> Row {
        Row("catch up 100,000 commits, time of each") { folder in
            let name = "catching up \(suffix)"
            let replica = try ReplicaBench(folder + "/replica.larder", address, name)
            try replica.drain()
            let peer = try PostgresPeer(address)
            let count = 100_000
            let value = try StoredValue.int(7).hexadecimal
            try peer.run(
                """
                DO $$ BEGIN
                    FOR i IN 1..\(count) LOOP
                        PERFORM larder.commit(\(try peer.store(name)), ARRAY[decode(lpad(to_hex(i), 32, '0'), 'hex')], NULL, i,
                            '{}', '{}', '{}', '{}', '{}', ARRAY[convert_to('key/' || i % 10000, 'UTF8')],
                            ARRAY[decode('\(value)', 'hex')], ARRAY[NULL::bigint]);
                        -- Each commit reads all versions of the store's row that the transaction has made.
                        IF i % 100 = 0 THEN COMMIT; END IF;
                    END LOOP;
                END $$
                """
            )
            let time = try nanoseconds {
                replica.start()
                try replica.wait { $0.position?.revision == UInt64(count) }
            }
            replica.stop()
            guard try replica.store.count() == 10_000 else { throw ReplicationBenchmarkError.wrongResult }
            return [Figure("ReplicatedStore", time / Double(count), goal: .atMost(50_000))]
        }
    }

    private static func loading(_ address: String) -> Row {
        Row("a snapshot of 1,000,000 entries") { folder in
            let name = "loading \(suffix)"
            let count = 1_000_000
            // Creates the store.
            try ReplicaBench(folder + "/first.larder", address, name).drain()
            let peer = try PostgresPeer(address)
            let value = try StoredValue.int(7).hexadecimal
            let number = try peer.store(name)
            try peer.run(
                """
                INSERT INTO larder.entry (store, key, value, revision)
                SELECT \(number), convert_to('key/' || lpad(i::text, 12, '0'), 'UTF8'), decode('\(value)', 'hex'), 0
                FROM generate_series(1, \(count)) AS i
                """
            )
            try peer.run("ANALYZE larder.entry")
            let path = folder + "/replica.larder"
            let time = try nanoseconds {
                let replica = try ReplicaBench(path, address, name)
                replica.start()
                try replica.wait { $0.position != nil }
                replica.stop()
            }
            var opening: [Double] = []
            for _ in 0..<3 {
                try opening.append(
                    nanoseconds {
                        guard try DeviceStore(path: path).get("key/000000000001") == .int(7) else {
                            throw ReplicationBenchmarkError.wrongResult
                        }
                    }
                )
            }
            return [
                Figure("opening the replica once", median(opening)),
                Figure("ReplicatedStore, from an empty file", time, goal: .timesFirst(4)),
            ]
        }
    }
}
#endif
