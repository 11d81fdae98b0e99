#if Objects
import Dispatch
import Foundation
import LarderObjects
import Synchronization

/// Measures how soon a save of another process is merged.
extension Area {
    static var mergingFromAnotherProcess: Row {
        Row("merge an order that another process saves, from the beginning of its save") { folder in
            let delays = try MergeDelays.measure(folder + "/merged.sqlite", saves: 500).sorted()
            return [
                Figure("Larder, median", median(delays)),
                Figure("Larder, 99th percentile", delays[delays.count * 99 / 100], goal: .atMost(100_000_000)),
            ]
        }
    }
}

/// The times until an idle process has merged saves of another process.
private enum MergeDelays {
    /// Returns the nanoseconds of each merge.
    ///
    /// Each save begins after the merge of the save before.
    static func measure(_ path: String, saves: Int) throws -> [Double] {
        let manager = try SharingProcess.open(path)
        let other = try SharingProcess(path)
        let (changes, awaited) = (manager.changes, Awaited())
        Task {
            for await change in changes {
                let now = SharingProcess.now
                guard let id = change.inserted.last else { continue }
                let began = try await manager.withView { view in
                    try view.loadObject(ofType: BenchmarkOrder.self, with: id)?.site
                }
                awaited.set(Double(now - (began ?? 0)))
            }
        }
        let delays = try (0..<saves).map { _ in
            let delay = awaited.next()
            other.begin(saves: 1)
            return try delay.get()
        }
        try other.end()
        try manager.close()
        return delays
    }

    /// The time of the next merge.
    private final class Awaited: Sendable {
        private let outcome = Mutex<Outcome<Double>?>(nil)

        func next() -> Outcome<Double> {
            let next = Outcome<Double>()
            outcome.withLock { $0 = next }
            return next
        }

        func set(_ delay: Double) { outcome.withLock(\.self)?.set(.success(delay)) }
    }
}
#endif
