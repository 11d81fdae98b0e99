#if Inspector
import Foundation
import LarderCore
import LarderDeviceStore
import LarderInspector

/// Measures what the inspector costs the program that it runs in, and how long its page waits for a large store.
extension Area {
    static var inspector: Area { Area(name: "inspector", rows: [putting, paging, searching]) }

    private static var putting: Row {
        .timed("put an Int, buffered, 10,000 keys, with the inspector", rounds: 21) { folder in
            let keys = Keys(10_000).shuffled.map { StoreKey($0) }
            let stores = try ["alone", "idle", "watched"].map { try DeviceStore(path: "\(folder)/\($0).larder") }
            let (idle, watched) = (try InspectedProgram(stores[1]), try InspectedProgram(stores[2]))
            try watched.openPage { try stores[2].set(true, for: "shown") }
            func putAll(_ store: DeviceStore, _ round: Int) throws {
                for key in keys { try store.set(.int(Int64(round)), for: key) }
            }
            return [
                Contender("without an inspector", operations: keys.count) { try putAll(stores[0], $0) },
                Contender("no page is open", operations: keys.count, goal: .timesFirst(1.02)) { round in
                    try withExtendedLifetime(idle) { try putAll(stores[1], round) }
                },
                Contender("a page is open", operations: keys.count, goal: .timesFirst(1.3)) { round in
                    try withExtendedLifetime(watched) { try putAll(stores[2], round) }
                },
            ]
        }
    }

    /// Returns the text as a parameter of an address.
    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }

    private static let count = 1_000_000

    /// Makes a store of a million strings, one in ten thousand of which contains the word that is searched for.
    private static func largeStore(in folder: String, _ keys: Keys) throws -> DeviceStore {
        let store = try DeviceStore(path: folder + "/large.larder")
        for start in stride(from: 0, to: count, by: 100_000) {
            var batch = StoreBatch()
            for number in start..<start + 100_000 {
                batch.set(
                    .string(number % 10_000 == 9_999 ? "needle" : "value \(number)"),
                    for: StoreKey(keys.all[number])
                )
            }
            _ = try store.commit(batch)
        }
        return store
    }

    private static var paging: Row {
        Row("a page of 100 entries among 1,000,000, median of 51") { folder in
            let keys = Keys(count)
            let program = try InspectedProgram(largeStore(in: folder, keys))
            let times = try keys.some(51).map { key in
                // The place of a page in the order of keys, as the page before it tells.
                let place = escaped(">" + key)
                return try nanoseconds {
                    guard try program.rows("limit=100&after=\(place)").keys.count > 0 else {
                        throw InspectorBenchmarkError.wrongAnswer(key)
                    }
                }
            }
            return [
                Figure("answer to the page", median(times), goal: .atMost(50e6)),
                Figure("the slowest", times.max() ?? 0),
            ]
        }
    }

    private static var searching: Row {
        Row("a text in 100 of 1,000,000 entries, median of 5") { folder in
            let keys = Keys(count)
            let program = try InspectedProgram(largeStore(in: folder, keys))
            var (first, all): ([Double], [Double]) = ([], [])
            for _ in 0..<5 {
                try first.append(nanoseconds { _ = try program.rows("limit=10&text=needle") })
                var found = 0
                try all.append(
                    nanoseconds {
                        var after: String? = ""
                        while let start = after {
                            let escaped = start.replacingOccurrences(of: "/", with: "%2F")
                            let page = try program.rows(
                                "limit=100&text=needle" + (start.isEmpty ? "" : "&after=\(escaped)")
                            )
                            found += page.keys.count
                            after = page.next
                        }
                    }
                )
                guard found == 100 else { throw InspectorBenchmarkError.wrongAnswer("\(found) hits") }
            }
            return [
                Figure("the first 10 hits", median(first), goal: .atMost(200e6)),
                Figure("all 100 hits", median(all), goal: .atMost(3e9)),
            ]
        }
    }
}
#endif
