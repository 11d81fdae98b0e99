import Foundation
import LarderCore
import LarderDataSources
import LarderDeviceStore

extension Area {
    /// Measures operations whose cost could grow with the number of values or of pending writes.
    static var dataSourceLists: Area { Area(name: "dataSourceLists", rows: [everything, offlinePuts]) }

    private static var everything: Row {
        .timed("list 1,000,000 values in memory, sorted by key", rounds: 3) { _ in
            let source = InMemoryDataSource<Int>()
            var plain: [String: Int] = [:]
            for number in 0..<1_000_000 {
                // The keys are added in unsorted order.
                let key = "item-\(number &* 7_919 % 1_000_003)"
                source.put(number, in: KeyQuery(key))
                plain[key] = number
            }
            return [
                Contender("dictionary, sorted", operations: 1) { _ in
                    keep(plain.sorted { $0.key < $1.key }.map(\.value))
                },
                Contender("InMemoryDataSource.getAll", operations: 1, goal: .timesFirst(4)) { _ in
                    keep(try source.getAll(AllObjectsQuery()).get())
                },
            ]
        }
    }

    private struct Offline: Error {}

    /// A main source that cannot be reached.
    private struct Unreachable: GetDataSource, PutDataSource, DeleteDataSource {
        func get(_ query: any KeyQuery) -> Future<Int> { Future(error: Offline()) }
        func getAll(_ query: any KeyQuery) -> Future<[Int]> { Future(error: Offline()) }
        func put(_ value: Int?, in query: any KeyQuery) -> Future<Int> { Future(error: Offline()) }
        func putAll(_ values: [Int], in query: any KeyQuery) -> Future<[Int]> { Future(error: Offline()) }
        func delete(_ query: any KeyQuery) -> Future<Void> { Future(error: Offline()) }
    }

    private static var offlinePuts: Row {
        .timed("put through an outbox without a network, after 2,000 puts of one key", rounds: 11) { folder in
            func outbox(_ name: String, _ sending: OutboxDataSource<Int>.Sending) throws -> OutboxDataSource<Int> {
                let outbox = OutboxDataSource<Int>(
                    main: Unreachable(),
                    store: try DeviceStore(path: folder + "/\(name).larder"),
                    name: name,
                    sending: sending,
                    pause: .seconds(1_000_000)
                )
                let first = outbox.put(0, forId: "first")
                while !first.isSettled { Thread.sleep(forTimeInterval: 0.001) }
                for number in 0..<2_000 { try outbox.put(number, forId: "k").get() }
                return outbox
            }
            let (every, latest) = (try outbox("every", .everyWrite), try outbox("latest", .latestOfEachKey))
            return [
                Contender("every write", operations: 100) { round in
                    for number in 0..<100 { try every.put(round &+ number, forId: "k").get() }
                },
                Contender("latest of each key", operations: 100, goal: .timesFirst(5)) { round in
                    for number in 0..<100 { try latest.put(round &+ number, forId: "k").get() }
                },
            ]
        }
    }
}
