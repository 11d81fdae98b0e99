import CThreadPeer
import Dispatch
import Foundation
import Synchronization

/// The cost of one operation when several threads perform it concurrently.
struct ThreadCost {
    /// The nanoseconds from the start of the first operation to the end of the last one, divided by the number of operations.
    var wall: Double
    /// The processor time of all threads in nanoseconds, divided by the number of operations.
    var processor: Double
}

/// A group of threads that start at the same moment.
enum ThreadTeam {
    /// Runs `body` on each of `threads` threads, with the thread's number, and returns the total cost divided by `operations`.
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

/// A thread-safe flag that is set once.
private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}
