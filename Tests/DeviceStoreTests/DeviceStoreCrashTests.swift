import Foundation
import LarderCore
import LarderFiles
import LarderStores
import LarderTestSupport
import Testing

/// A program that is crashed after each change to the disk.
private struct CrashProgram {
    enum Step: CaseIterable { case put, remove, transaction, compact, synced, reopen }

    /// What the store held after each commit, the empty state first, and how many events had happened when it returned.
    var states: [(contents: [String: StoredValue], events: Int)] = [([:], 0)]
    /// After so many events the commit with that number in ``states`` must have survived.
    var promises: [(events: Int, state: Int)] = []
    let disk = LyingFileSystem(directories: ["/data"])
    private var store: DeviceStore?
    private var number = 0

    init(_ steps: [Step]) throws {
        disk.leaveUnrecorded(suffix: ".ctl")
        for step in steps { try run(step) }
    }

    private mutating func run(_ step: Step) throws {
        let store = try self.store ?? LyingStore(disk).open()
        self.store = store
        number += 1
        let key = StoreKey("key\(number % 3)")
        switch step {
        case .put: try store.set(.int(Int64(number)), for: key)
        case .remove: try store.remove(key)
        case .transaction:
            var batch = StoreBatch()
            batch.set(.string("first \(number)"), for: "key1")
            batch.set(.string(String(repeating: "second", count: 100)), for: "key2")
            batch.remove("key0")
            _ = try store.commit(batch)
        case .compact: try store.compact()
        case .synced: try setSynced(store, .int(Int64(number)), key)
        case .reopen:
            try closeNow(store)
            self.store = nil
        }
        let now = step == .reopen ? states[states.count - 1].contents : try contents(store)
        if now != states[states.count - 1].contents { states.append((now, disk.eventCount)) }
        if step == .synced || step == .reopen { promises.append((disk.eventCount, states.count - 1)) }
    }

    /// What is wrong with a disk after a power loss.
    func problem(with image: CrashImage) -> String? {
        let promised = promises.last { $0.events <= image.eventCount }?.state ?? 0
        do {
            let store = try LyingStore(image.fileSystem).open()
            let found = try contents(store)
            guard let state = states.indices.last(where: { states[$0].contents == found }) else {
                return "a state that never was: \(found)"
            }
            guard state >= promised else { return "state \(state), but \(promised) was synced" }
            guard try store.verify().isIntact else { return "not intact" }
            try store.set(.int(-1), for: "after")
            try closeNow(store)
            guard try LyingStore(image.fileSystem).open().get("after") == .int(-1) else { return "it can't be used" }
            return nil
        } catch {
            return "\(error)"
        }
    }
}

@Suite struct DeviceStoreCrashTests {
    @Test func everyPowerLossLeavesAPrefixWithAllThatWasSynced() throws {
        var images = 0
        let all = CrashProgram.Step.allCases
        for first in all {
            for second in all {
                for third in all where first == .put || third == .transaction {
                    let steps = [first, second, third, .put]
                    let program = try CrashProgram(steps)
                    try program.disk.forEachCrashImage(limit: 12) { image in
                        images += 1
                        if let problem = program.problem(with: image) {
                            Issue.record("\(steps) after \(image.eventCount) events, image \(image.number): \(problem)")
                            throw CancellationError()
                        }
                    }
                }
            }
        }
        #expect(images > 4_000)
    }

    @Test(arguments: 0..<4) func longerProgramsSurviveSampledPowerLosses(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let steps = (0..<14).map { _ in CrashProgram.Step.allCases.randomElement(using: &generator) ?? .put }
        let program = try CrashProgram(steps)
        try program.disk.forEachSampledCrashImage(seed: UInt64(seed) * 1_000_003, perPoint: 12) { image in
            if let problem = program.problem(with: image) {
                Issue.record("\(steps) after \(image.eventCount) events, image \(image.number): \(problem)")
                throw CancellationError()
            }
        }
    }
}
