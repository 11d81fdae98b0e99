import Dispatch
import Foundation
import LarderCore
import LarderDeviceStore
import Synchronization

extension Area {
    /// Measures writes to a device store that survive if the process is killed.
    static var deviceStoreWriting: Area {
        Area(
            name: "device-store-writing",
            rows: [
                buffered, suspending, withOthers, inTransaction(keys.shuffled, ""),
                inTransaction(keys.all, ", in key order"), encrypted,
            ].compactMap(\.self)
        )
    }

    private static let keys = Keys(10_000)
    private static let peer = "Dictionary behind a Mutex"

    private static var buffered: Row {
        .timed("put an Int, buffered, 10,000 keys") { folder in
            let (all, shuffled) = (keys.all, keys.shuffled)
            let dictionary = DictionaryPeer(all)
            let file = try RawFile(folder + "/raw")
            let few = Array(all.prefix(1_000))
            let defaults = try UserDefaultsPeer(folder + "/suite", few)
            var contenders = [
                Contender("one pwrite of 48 bytes", operations: shuffled.count) { round in
                    for _ in shuffled { try file.write(round) }
                },
                Contender(peer, operations: shuffled.count) { round in
                    for key in shuffled { dictionary.put(round, key) }
                },
            ]
            for io in DeviceStoreOptions.IO.allCases {
                let store = try filledStore(folder + "/\(io).larder", all, options(io))
                let busy = try filledStore(folder + "/busy-\(io).larder", all, options(io))
                contenders += [
                    Contender(
                        "DeviceStore, \(io)",
                        operations: shuffled.count,
                        goal: io.isMapped ? .times(2.5, of: peer) : .timesFirst(2),
                        prepare: { try store.compact() }
                    ) { round in
                        for key in shuffled { try store.set(.int(Int64(round)), for: key) }
                    },
                    // These puts are made without pauses, so that a compaction, which waits for the disk, runs most of the time.
                    Contender(
                        "DeviceStore, \(io), without pauses",
                        operations: 8 * shuffled.count,
                        goal: .timesFirst(io.isMapped ? 1.1 : 2.5)
                    ) { round in
                        for time in 0..<8 {
                            for key in shuffled { try busy.set(.int(Int64(8 * round + time)), for: key) }
                        }
                    },
                ]
            }
            #if SQLite
            let sqlite = try SQLitePeer(folder + "/sqlite", all)
            contenders.append(
                Contender("SQLite (GRDB, WAL)", operations: 1_000) { round in
                    for key in shuffled.prefix(1_000) { try sqlite.put(round, key) }
                }
            )
            #endif
            #if canImport(LMDB)
            let lmdb = try LMDBPeer(folder + "/lmdb", all)
            contenders.append(
                Contender("LMDB (NOSYNC)", operations: 1_000) { round in
                    for key in shuffled.prefix(1_000) { try lmdb.put(round, key) }
                }
            )
            #endif
            contenders.append(
                Contender("UserDefaults set + synchronize, 1,000 keys", operations: 10) { round in
                    for key in few.prefix(10) {
                        defaults.put(round, key)
                        defaults.synchronize()
                    }
                }
            )
            return contenders
        }
    }

    /// Measures puts by a single task, so that no put has to wait for another one.
    private static var suspending: Row {
        .timed("put an Int, buffered, by a task, 10,000 keys") { folder in
            var contenders: [Contender] = []
            for io in DeviceStoreOptions.IO.allCases {
                let store = try filledStore("\(folder)/\(io).larder", keys.all, options(io))
                let shuffled = keys.shuffled.map { StoreKey($0) }
                contenders += [
                    Contender(
                        "DeviceStore, \(io), set",
                        operations: shuffled.count,
                        prepare: { try store.compact() }
                    ) { round in
                        try inTask { for key in shuffled { try store.set(.int(Int64(round)), for: key) } }
                    },
                    Contender(
                        "DeviceStore, \(io), await set",
                        operations: shuffled.count,
                        prepare: { try store.compact() }
                    ) { round in
                        try inTask {
                            for key in shuffled {
                                try await store.set(.int(Int64(round)), for: key, durability: .buffered)
                            }
                        }
                    },
                ]
            }
            return contenders
        }
    }

    private static func inTask(_ body: @escaping @Sendable () async throws -> Void) throws {
        let failure = Mutex<(any Error)?>(nil)
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            do { try await body() } catch { failure.withLock { $0 = error } }
            done.signal()
        }
        done.wait()
        if let failure = failure.withLock(\.self) { throw failure }
    }

    private static var withOthers: Row {
        .timed("put an Int, buffered, while another process has the store open, 10,000 keys") { folder in
            var contenders: [Contender] = []
            for io in DeviceStoreOptions.IO.allCases {
                for isShared in [false, true] {
                    let path = "\(folder)/\(io)-\(isShared).larder"
                    let store = try filledStore(path, keys.all, options(io))
                    let companion = isShared ? try Companion(holding: path) : nil
                    let goal = isShared ? Goal.times(1.25, of: "DeviceStore, \(io), alone") : nil
                    contenders.append(
                        Contender(
                            "DeviceStore, \(io), \(isShared ? "shared" : "alone")",
                            operations: keys.shuffled.count,
                            goal: goal,
                            prepare: { try store.compact() }
                        ) { round in
                            for key in keys.shuffled { try store.set(.int(Int64(round)), for: key) }
                            withExtendedLifetime(companion) {}
                        }
                    )
                }
            }
            return contenders
        }
    }

    private static func inTransaction(_ all: [String], _ order: String) -> Row {
        .timed("put an Int in a transaction of 10,000" + order) { folder in
            let dictionary = DictionaryPeer(all)
            var contenders = [
                Contender(peer, operations: all.count) { round in for key in all { dictionary.put(round, key) } }
            ]
            for io in DeviceStoreOptions.IO.allCases {
                let store = try filledStore("\(folder)/\(io).larder", all, options(io))
                contenders.append(
                    Contender(
                        "DeviceStore, \(io)",
                        operations: all.count,
                        goal: .timesFirst(1.3),
                        prepare: { try store.compact() }
                    ) { round in
                        try putAll(store, round * all.count, all)
                    }
                )
            }
            // The store is compacted like the others, so that the processor's caches have the same content.
            let store = try filledStore(folder + "/batch.larder", all)
            contenders.append(
                Contender(
                    "of that, creating and freeing the StoreBatch",
                    operations: all.count,
                    prepare: { try store.compact() }
                ) { round in
                    withExtendedLifetime(batch(round * all.count, all[...])) {}
                }
            )
            #if SQLite
            let sqlite = try SQLitePeer(folder + "/sqlite", all)
            contenders.append(
                Contender("SQLite (GRDB, WAL)", operations: all.count) { try sqlite.put($0 * all.count, all) }
            )
            #endif
            #if canImport(LMDB)
            let lmdb = try LMDBPeer(folder + "/lmdb", all)
            contenders.append(
                Contender("LMDB (NOSYNC)", operations: all.count) { try lmdb.put($0 * all.count, all) }
            )
            #endif
            return contenders
        }
    }
}

/// Returns the default options with another I/O mode.
func options(_ io: DeviceStoreOptions.IO) -> DeviceStoreOptions {
    var options = DeviceStoreOptions()
    options.io = io
    return options
}

extension DeviceStoreOptions.IO {
    /// Whether this mode writes without system calls, through memory-mapped files.
    var isMapped: Bool { self != .systemCalls }
}
