import LarderCore
import LarderDeviceStore

extension Area {
    /// Measures several threads that use one device store concurrently, compared with a dictionary behind an adaptive mutex.
    static var deviceStoreThreads: Area {
        Area(
            name: "device-store-threads",
            rows: [
                // The puts use so many keys that no compaction runs. The gets use fewer keys, repeatedly, so that the threads contend.
                row(Workload("put an Int", puts: 10, keys: 40_000, used: 20_000, passes: 1) { .int(Int64($0)) }),
                row(Workload("get an Int", puts: 0, keys: 10_000, passes: 10) { .int(Int64($0)) }),
                row(
                    Workload(
                        "get a String of 24 bytes",
                        puts: 0,
                        keys: 10_000,
                        passes: 10,
                        isOfTexts: true,
                        value: text
                    )
                ),
                row(Workload("get 9 Ints and put 1", puts: 1, keys: 10_000, passes: 10) { .int(Int64($0)) }),
            ]
        )
    }

    private static let rounds = 9

    private static func text(_ number: Int) -> StoredValue {
        let digits = String(number % 1_000_000)
        return .string("a longer text " + String(repeating: "0", count: 10 - digits.count) + digits)
    }

    private struct Workload {
        let name: String
        /// The number of puts in ten operations.
        let puts: Int
        let keys: Int
        /// The number of keys that a run uses.
        let used: Int
        /// The number of times a run uses each key.
        let passes: Int
        let isOfTexts: Bool
        let value: @Sendable (Int) -> StoredValue

        init(
            _ name: String,
            puts: Int,
            keys: Int,
            used: Int? = nil,
            passes: Int,
            isOfTexts: Bool = false,
            value: @escaping @Sendable (Int) -> StoredValue
        ) {
            self.name = name
            self.puts = puts
            self.keys = keys
            self.used = used ?? keys
            self.passes = passes
            self.isOfTexts = isOfTexts
            self.value = value
        }
    }

    /// Returns a row for a workload in which each thread has its own keys, so that every put changes a value.
    private static func row(_ workload: Workload) -> Row {
        Row("\(workload.name), by 1, 2, 4 and 16 threads, \(workload.keys) keys") { folder in
            let keys = Keys(workload.keys)
            let (all, shuffled, passes) = (keys.all, keys.shuffled, workload.passes)
            let dictionary = AdaptiveDictionaryPeer(all, workload.value)
            let store = try DeviceStore(path: folder + "/s.larder")
            for (index, key) in all.enumerated() { try store.set(workload.value(index), for: key) }
            let value = workload.value
            let puts = workload.puts
            var costs: [String: [Int: [ThreadCost]]] = [:]
            for round in 1...rounds {
                for threads in [1, 2, 4, 16] {
                    let share = workload.used / threads
                    let operations = share * threads * passes
                    let behindMutex = try ThreadTeam.measure(threads, operations: operations) { thread in
                        for pass in 0..<passes {
                            for index in thread * share..<(thread + 1) * share {
                                if index % 10 < puts {
                                    dictionary.put(value((round * passes + pass) * 32 + threads), shuffled[index])
                                } else {
                                    keep(dictionary.get(shuffled[index]))
                                }
                            }
                        }
                    }
                    // Prevents a compaction during the measurement.
                    if puts > 0 { try store.compact() }
                    let inStore = try ThreadTeam.measure(threads, operations: operations) { thread in
                        for pass in 0..<passes {
                            for index in thread * share..<(thread + 1) * share {
                                if index % 10 < puts {
                                    try store.set(value((round * passes + pass) * 32 + threads), for: shuffled[index])
                                } else {
                                    keep(try store.get(shuffled[index]))
                                }
                            }
                        }
                    }
                    costs["dictionary", default: [:]][threads, default: []].append(behindMutex)
                    costs["store", default: [:]][threads, default: []].append(inStore)
                }
            }
            return figures(costs, workload)
        }
    }

    private static func figures(_ costs: [String: [Int: [ThreadCost]]], _ workload: Workload) -> [Figure] {
        func cost(_ contender: String, _ threads: Int) -> ThreadCost {
            let all = costs[contender]?[threads] ?? []
            return ThreadCost(wall: median(all.map(\.wall)), processor: median(all.map(\.processor)))
        }
        var figures: [Figure] = []
        for (contender, name) in [("dictionary", "Dictionary behind an adaptive mutex"), ("store", "DeviceStore")] {
            for threads in [1, 2, 4, 16] {
                let one = cost(contender, threads)
                let who = "\(name), \(threads) thread\(threads == 1 ? "" : "s")"
                figures.append(Figure(who, one.wall))
                figures.append(Figure(who + ", processor", one.processor))
            }
        }
        let (fewest, most) = (1, 16)
        let wall = cost("store", most).wall / cost("store", fewest).wall
        let wallOfPeer = cost("dictionary", most).wall / cost("dictionary", fewest).wall
        let processor = cost("store", most).processor / cost("store", fewest).processor
        let processorOfPeer = cost("dictionary", most).processor / cost("dictionary", fewest).processor
        figures.append(
            Figure("growth from 1 to 16 threads, times the dictionary's", wall / wallOfPeer, .times, goal: .atMost(1.2))
        )
        figures.append(
            Figure("the same for processor time", processor / processorOfPeer, .times, goal: .atMost(1.2))
        )
        if workload.isOfTexts {
            let ratio = cost("store", most).wall / cost("dictionary", most).wall
            figures.append(Figure("DeviceStore, times the dictionary, 16 threads", ratio, .times, goal: .atMost(1)))
        }
        return figures
    }
}
