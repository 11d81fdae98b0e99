import CInterruptedCalls
import Foundation
import LarderCore
import LarderDeviceStore

/// A program that uses a store and is run repeatedly.
///
/// In each run, signals first interrupt a different system call.
///
/// Interrupted calls must be continued without any effect on the users of the store.
struct InterruptionSweep {
    private static let ways: [String: larder_cut] = [
        "cutOne": larder_cut_one, "cutEachTwice": larder_cut_each_twice, "halveOne": larder_halve_one,
        "halveEach": larder_halve_each, "cutAndHalveEach": larder_cut_and_halve_each,
    ]

    private let folder: String
    private let options: DeviceStoreOptions
    private let way: larder_cut
    private let step: Int

    /// Creates a sweep that interrupts every `step`th call.
    ///
    /// The stores are in the folder at `path`.
    init(_ path: String, _ options: DeviceStoreOptions, _ arguments: [String]) throws {
        guard arguments.count == 2, let way = Self.ways[arguments[0]], let step = Int(arguments[1]) else {
            throw Wrong("sweep IO FOLDER WAY STEP")
        }
        folder = path
        self.way = way
        self.step = step
        self.options = options
    }

    /// Prints the number of the program's system calls, of runs in which a call was interrupted, and of interruptions.
    func run() throws {
        guard larder_cut_calls(larder_cut_nothing, 0) == 1 else {
            print("unsupported")
            return
        }
        var runs = 0
        for first in stride(from: 1, to: 100_000, by: step) {
            let place = "\(folder)/\(first)"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            let program = InterruptedProgram(place, options)
            let before = larder_interrupted_calls()
            let calls: Int
            do {
                calls = try program.run(way, first)
            } catch {
                larder_cut_calls(larder_cut_nothing, 0)
                throw Wrong("Cut short from call \(first) on: \(error)")
            }
            try FileManager.default.removeItem(atPath: place)
            let wasCut = larder_interrupted_calls() > before
            guard wasCut == (first <= calls) else {
                throw Wrong("\(calls) calls, but call \(first) was \(wasCut ? "" : "not ")interrupted.")
            }
            if !wasCut {
                print(calls, runs, larder_interrupted_calls())
                return
            }
            runs += 1
        }
        throw Wrong("The program never ends.")
    }
}

/// A program that performs every kind of operation.
///
/// None of the operations may fail.
private final class InterruptedProgram {
    private let path: String
    private let copy: String
    private var options: DeviceStoreOptions
    private var known: [String: StoredValue] = [:]

    init(_ folder: String, _ options: DeviceStoreOptions) {
        path = folder + "/s.larder"
        copy = folder + "/copy.larder"
        self.options = options
        // Automatic maintenance is off, so that every run makes the same calls. Each opening behaves as if it were in another process.
        self.options.environment.isAutomatic = false
        self.options.environment.isShared = false
    }

    /// Runs the program, and returns the number of its system calls.
    func run(_ way: larder_cut, _ first: Int) throws -> Int {
        larder_cut_calls(way, UInt32(first))
        let store = try DeviceStore(path: path, options: options)
        try write(store, 0)
        let other = try DeviceStore(path: path, options: options)
        try change(other, ["other": .int(1)])
        try check(store)
        try write(store, 1)
        try compact(other)
        try check(store)
        try store.backup(to: copy)
        try other.close()
        try store.close()
        let reopened = try DeviceStore(path: path, options: options)
        try check(reopened)
        try write(reopened, 2)
        let calls = Int(larder_counted_calls())
        larder_cut_calls(larder_cut_nothing, 0)
        try finish(reopened)
        return calls
    }

    private func write(_ store: DeviceStore, _ round: Int64) throws {
        for number in 0..<3 { try change(store, ["key\(number)": .int(round)]) }
        try change(store, ["key1": nil, "pair": .string("first \(round)"), "other": .string("second \(round)")])
        try change(store, ["large": bytes(20_000, round)])
        try change(store, ["key2": .bool(round == 1)], durability: .synced)
        // The value "huge" exceeds the mapping and is large enough for zeros to be written ahead.
        try change(store, ["huge": bytes(70_000, round), "large": nil])
        for number in 0..<12 { try change(store, ["middle\(number)": bytes(4_000, round)]) }
        try store.flush()
        try change(store, ["key0": nil])
        try compact(store)
        try change(store, ["large": bytes(17_000, round)])
        store.maintain()
    }

    private func compact(_ store: DeviceStore) throws {
        try store.compact()
        try check(store)
    }

    private func change(
        _ store: DeviceStore,
        _ writes: [String: StoredValue?],
        durability: Durability = .buffered
    ) throws {
        var batch = StoreBatch()
        for (key, value) in writes.sorted(by: { $0.key < $1.key }) {
            batch.write(value, for: StoreKey(key))
            known[key] = value
        }
        if writes.count > 1 || durability == .synced {
            _ = try store.commit(batch, durability: durability)
        } else {
            for (key, value) in writes {
                if let value { try store.set(value, for: StoreKey(key)) } else { try store.remove(StoreKey(key)) }
            }
        }
    }

    private func bytes(_ count: Int, _ round: Int64) -> StoredValue {
        .data(Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(round)) }))
    }

    private func check(_ store: DeviceStore) throws {
        let found = Dictionary(uniqueKeysWithValues: try store.entries(prefix: "").map { ($0.key, $0.value) })
        guard found == known else {
            let wrong = Set(found.keys).union(known.keys).filter { found[$0] != known[$0] }.sorted()
            throw Wrong("\(wrong) of \(path) are not as they were written.")
        }
        let problems = try store.verify().problems
        guard problems.isEmpty else { throw Wrong("\(path) is not intact: \(problems)") }
    }

    /// Checks, without further interruptions, that the store and its backup contain all values and that the store can be used.
    private func finish(_ store: DeviceStore) throws {
        try check(store)
        try change(store, ["after": .int(1)], durability: .synced)
        try store.close()
        let last = try DeviceStore(path: path, options: options)
        try check(last)
        try last.close()
        let copied = try DeviceStore(path: copy, options: options)
        let problems = try copied.verify().problems
        guard problems.isEmpty, try copied.get("other") == .string("second 1") else {
            throw Wrong("The backup is not what was backed up: \(problems)")
        }
        try copied.close()
    }
}
