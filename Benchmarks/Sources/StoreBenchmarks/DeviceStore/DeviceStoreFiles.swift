import Foundation
import LarderCore
import LarderDeviceStore

extension Area {
    /// Measures the opening and the compaction of a device store, its file size and its memory use.
    static var deviceStoreFiles: Area {
        Area(
            name: "device-store-files",
            rows: [
                opening(100, "100", .atMost(50_000), rounds: 31),
                opening(10_000, "10,000", .atMost(400_000), rounds: 15),
                opening(1_000_000, "1,000,000", .atMost(80_000_000), rounds: 3),
                compaction, fileSize, memory(100_000, "100,000"), memory(1_000_000, "1,000,000"),
            ]
        )
    }

    private static func opening(_ count: Int, _ text: String, _ goal: Goal, rounds: Int) -> Row {
        Row("open a store of \(text) keys of 16 bytes") { folder in
            let path = folder + "/s.larder"
            let keys = Keys(count).all
            try filledStore(path, keys).close()
            // The next store that opens reuses the timer of a closed store. Here another store takes the timer and stays open, so that the
            // measured opening starts a timer.
            var closed = (0...rounds).map { "\(folder)/other-\($0).larder" }
            for other in closed { try DeviceStore(path: other).close() }
            var others: [DeviceStore] = []
            let first = try opening(rounds) {
                try DeviceStore(path: path)
            } close: {
                try $0.close()
                others.append(try DeviceStore(path: closed.removeLast()))
            }
            for other in others { try other.close() }
            var figures = [
                Figure("DeviceStore", first, goal: goal),
                Figure(
                    "DeviceStore, reopened at once",
                    try opening(rounds) {
                        try DeviceStore(path: path)
                    } close: {
                        try $0.close()
                    }
                ),
                Figure(
                    "only reading the file",
                    try opening(rounds) { try Data(contentsOf: URL(filePath: path)) }
                ),
            ]
            // The other libraries read nothing when they open a file, so one key is read, too.
            #if SQLite
            _ = try SQLitePeer(folder + "/sqlite", keys)
            let sqlite = try opening(rounds) {
                let peer = try SQLitePeer(folder + "/sqlite")
                keep(try peer.get(keys[0]))
                return peer
            }
            figures.append(Figure("SQLite (GRDB, WAL), with one read", sqlite))
            #endif
            #if canImport(LMDB)
            _ = try LMDBPeer(folder + "/lmdb", keys)
            let lmdb = try opening(rounds) {
                let peer = try LMDBPeer(folder + "/lmdb")
                keep(try peer.get(keys[0]))
                return peer
            }
            figures.append(Figure("LMDB, with one read", lmdb))
            #endif
            return figures
        }
    }

    /// Returns the median time of `rounds` openings, after a first opening that is not counted.
    private static func opening<Opened>(
        _ rounds: Int,
        _ open: () throws -> Opened,
        close: (Opened) throws -> Void = { _ in }
    ) throws -> Double {
        let times = try (-1..<rounds).map { _ in
            var opened: Opened?
            let time = try nanoseconds { opened = try open() }
            if let opened { try close(opened) }
            return time
        }
        return median(Array(times.dropFirst()))
    }

    // MARK: Compaction

    private static let puts = 400_000
    private static let putsInTurn = 100_000

    private static var compaction: Row {
        Row("compaction during \(puts) puts to 10,000 keys: longest put; share of run time in puts over 50 us") {
            folder in
            try DeviceStoreOptions.IO.allCases.flatMap { try stalls(folder, $0) }
        }
    }

    private static func stalls(_ folder: String, _ io: DeviceStoreOptions.IO) throws -> [Figure] {
        let keys = Keys(10_000).shuffled
        let (with, without) = (Stalls(), Stalls())
        let store = try filledStore("\(folder)/with-\(io).larder", keys, options(io))
        let other = try filledStore("\(folder)/without-\(io).larder", keys, options(io))
        // The two stores take turns, because the load of the machine varies. Each turn is long enough for at least seven compactions.
        for turn in stride(from: 0, to: puts, by: putsInTurn) {
            for put in turn..<turn + putsInTurn {
                try with.time { try store.set(.int(Int64(put)), for: keys[put % keys.count]) }
            }
            // Ends this store's automatic compaction before the other store's turn.
            try store.compact()
            // The same puts are made without automatic compactions, because the store is compacted before one is due. This is not timed.
            for put in turn..<turn + putsInTurn {
                if put % 4_000 == 0 { try other.compact() }
                try without.time { try other.set(.int(Int64(put)), for: keys[put % keys.count]) }
            }
        }
        return [
            Figure("\(io): longest put, without compaction", without.longest),
            Figure("\(io): longest put, with compaction", with.longest, goal: .atMost(2_000_000)),
            Figure("\(io): one put, without compaction", without.average),
            Figure("\(io): one put, with compaction", with.average),
            Figure("\(io): puts over 50 us, without compaction", without.percentage, .percent),
            Figure(
                "\(io): puts over 50 us, with compaction",
                with.percentage,
                .percent,
                goal: .atMost(without.percentage + 1)
            ),
        ]
    }

    private final class Stalls {
        private(set) var longest = 0.0
        private var stalled = 0.0
        private var total = 0.0
        private var count = 0.0

        func time(_ body: () throws -> Void) rethrows {
            let time = try nanoseconds(body)
            longest = max(longest, time)
            total += time
            count += 1
            if time > 50_000 { stalled += time }
        }

        var average: Double { total / count }
        var percentage: Double { stalled / total * 100 }
    }

    // MARK: File size and memory

    private static var fileSize: Row {
        Row("file size after 1,000,000 overwrites of 1,000 keys") { folder in
            let path = folder + "/s.larder"
            let keys = Keys(1_000).shuffled
            let store = try filledStore(path, keys)
            var largest = 0
            for put in 0..<1_000_000 {
                try store.set(.int(Int64(put)), for: keys[put % keys.count])
                if put % 1_000 == 0 { largest = max(largest, try size(path)) }
            }
            let atEnd = try size(path)
            try store.compact()
            let compacted = Double(try size(path))
            let goal = Goal.atMost(2.3 * compacted + 192 * 1024)
            return [
                Figure("freshly compacted", compacted, .bytes),
                Figure("at the end", Double(atEnd), .bytes, goal: goal),
                Figure("largest during the run", Double(largest), .bytes, goal: goal),
            ]
        }
    }

    private static func size(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.size] as? Int) ?? 0
    }

    private static func memory(_ count: Int, _ text: String) -> Row {
        Row("memory per entry: 16-byte key, Int, \(text) keys") { folder in
            let path = folder + "/s.larder"
            var keys = Keys(count)
            try filledStore(path, keys.all).close()
            let each = Double(count)
            var dictionary: [String: Int] = [:]
            let ofDictionary = HeapUse.growth { for (index, key) in keys.all.enumerated() { dictionary[key] = index } }
            keep(dictionary)
            dictionary = [:]
            var opened: DeviceStore?
            let ofOpened = try HeapUse.growth { opened = try DeviceStore(path: path) }
            try opened?.close()
            opened = nil
            // This store is filled by single puts, as in an app.
            let grown = try DeviceStore(path: folder + "/grown.larder")
            let ofGrown = try HeapUse.growth {
                for (index, key) in keys.all.enumerated() { try grown.set(.int(Int64(index)), for: key) }
            }
            keys = Keys(0)
            // The goal is twice the size of the key and the value, and 64 bytes.
            let goal = Goal.atMost(2 * (16 + 8) + 64)
            return [
                Figure("[String: Int], without the keys", ofDictionary / each, .bytes),
                Figure("DeviceStore, after opening", ofOpened / each, .bytes, goal: goal),
                Figure("DeviceStore, after single puts", ofGrown / each, .bytes, goal: goal),
            ]
        }
    }
}
