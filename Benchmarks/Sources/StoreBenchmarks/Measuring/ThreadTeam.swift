import CThreadPeer
import Dispatch
import Foundation
import Synchronization

/// What an operation took that several threads did at once.
struct ThreadCost {
    /// Nanoseconds from the first operation to the last one's end, divided by the number of operations.
    var wall: Double
    /// Nanoseconds of all processors, divided by the same.
    var processor: Double
}

/// Threads that begin at one moment.
enum ThreadTeam {
    /// Has each of `threads` do `body` with its number, and divides what that takes by `operations`.
    static func measure(
        _ threads: Int,
        operations: Int,
        _ body: @escaping @Sendable (Int) throws -> Void
    ) throws -> ThreadCost {
        let failure = Mutex<(any Error)?>(nil)
        let (ready, done, begins) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), Flag())
        for number in 0..<threads {
            Thread.detachNewThread {
                ready.signal()
                while !begins.isSet { sched_yield() }
                do { try body(number) } catch { failure.withLock { $0 = error } }
                done.signal()
            }
        }
        for _ in 0..<threads { ready.wait() }
        let processor = processor_time()
        let wall = nanoseconds {
            begins.set()
            for _ in 0..<threads { done.wait() }
        }
        let cost = ThreadCost(
            wall: wall / Double(operations),
            processor: (processor_time() - processor) / Double(operations)
        )
        if let failure = failure.withLock(\.self) { throw failure }
        return cost
    }
}

/// Set once.
private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}
