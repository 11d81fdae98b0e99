import Dispatch
import Foundation
import LarderCore
import LarderDeviceStore
import Synchronization

extension Area {
    /// Measures writes to a device store that survive power loss.
    static var deviceStoreSyncing: Area { Area(name: "device-store-syncing", rows: [alone, together]) }

    private static let puts = 100
    private static let writers = 16

    private static var alone: Row {
        .timed("put an Int, synced, alone") { folder in
            let keys = Keys(1_000).some(puts)
            let file = try RawFile(folder + "/raw")
            var contenders = [
                Contender("raw limit: pwrite + fdatasync", operations: puts) { round in
                    for _ in 0..<puts {
                        try file.write(round)
                        try file.sync()
                    }
                }
            ]
            for io in DeviceStoreOptions.IO.allCases {
                let store = try DeviceStore(path: "\(folder)/\(io).larder", options: options(io))
                contenders.append(
                    Contender("DeviceStore, \(io)", operations: puts, goal: .timesFirst(1.15)) { round in
                        for key in keys { try store.set(.int(Int64(round)), for: StoreKey(key), durability: .synced) }
                    }
                )
            }
            #if SQLite
            let sqlite = try SQLitePeer(folder + "/sqlite", isSynced: true)
            contenders.append(
                Contender("SQLite (GRDB, WAL, FULL)", operations: puts) { round in
                    for key in keys { try sqlite.put(round, key) }
                }
            )
            #endif
            #if canImport(LMDB)
            let lmdb = try LMDBPeer(folder + "/lmdb", isSynced: true)
            contenders.append(
                Contender("LMDB", operations: puts) { round in
                    for key in keys { try lmdb.put(round, key) }
                }
            )
            #endif
            return contenders
        }
    }

    private static var together: Row {
        .timed("put an Int, synced, 16 concurrent callers, time per put") { folder in
            let file = try RawFile(folder + "/raw")
            var contenders = [
                Contender("raw limit: pwrite + fdatasync, sequential", operations: puts) { round in
                    for _ in 0..<puts {
                        try file.write(round)
                        try file.sync()
                    }
                }
            ]
            for io in DeviceStoreOptions.IO.allCases {
                let store = try DeviceStore(path: "\(folder)/\(io).larder", options: options(io))
                let goal = Goal.timesFirst(0.25)
                contenders += [
                    Contender("DeviceStore, \(io), 16 threads", operations: puts * writers, goal: goal) { round in
                        try onThreads { writer in
                            for put in 0..<puts {
                                try store.set(
                                    .int(Int64(round)),
                                    for: StoreKey("\(writer)/\(put)"),
                                    durability: .synced
                                )
                            }
                        }
                    },
                    Contender("DeviceStore, \(io), 16 tasks", operations: puts * writers, goal: goal) { round in
                        try inTasks { writer in
                            for put in 0..<puts {
                                try await store.set(
                                    .int(Int64(-round)),
                                    for: StoreKey("\(writer)/\(put)"),
                                    durability: .synced
                                )
                            }
                        }
                    },
                ]
            }
            return contenders
        }
    }

    private static func onThreads(_ body: @escaping @Sendable (Int) throws -> Void) throws {
        let failure = Mutex<(any Error)?>(nil)
        let group = DispatchGroup()
        for writer in 0..<writers {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                do { try body(writer) } catch { failure.withLock { $0 = error } }
            }
        }
        group.wait()
        if let failure = failure.withLock(\.self) { throw failure }
    }

    private static func inTasks(_ body: @escaping @Sendable (Int) async throws -> Void) throws {
        let failure = Mutex<(any Error)?>(nil)
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            do {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for writer in 0..<writers { group.addTask { try await body(writer) } }
                    try await group.waitForAll()
                }
            } catch {
                failure.withLock { $0 = error }
            }
            done.signal()
        }
        done.wait()
        if let failure = failure.withLock(\.self) { throw failure }
    }
}
