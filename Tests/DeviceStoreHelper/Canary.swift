import Foundation
import Synchronization

/// Faults that a sanitizer must find, and correct code that it must not report.
///
/// Usage: `DeviceStoreHelper race|handover|overrun|leak -`. `Scripts/sanitize.sh` runs these cases first, so that a run without findings
/// proves that the sanitizer works.
enum Canary {
    /// Causes the fault called `name`, and returns `false` if there is no such fault.
    static func run(_ name: String) -> Bool {
        switch name {
        case "race": race()
        case "handover": handOver()
        case "overrun": overrun()
        case "leak": leak()
        default: return false
        }
        return true
    }

    /// Lets two threads write a number without synchronization, which is a data race.
    private static func race() {
        let number = Shared()
        onThreads(2) { _ in for _ in 0..<1_000 { number.pointer.pointee += 1 } }
    }

    /// Lets threads contend for a `Mutex` that the kernel hands over, which is not a data race.
    private static func handOver() {
        let number = Mutex(Shared())
        onThreads(4) { _ in
            for round in 0..<400 {
                number.withLock { number in
                    number.pointer.pointee += 1
                    // Held long enough for the other threads to fall asleep in the kernel.
                    if round % 4 == 0 { usleep(50) }
                }
            }
        }
    }

    /// Reads beyond the end of an allocation.
    private static func overrun() {
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 24)
        bytes.initialize(repeating: 1, count: 24)
        print(bytes[CommandLine.arguments.count + 24])
        bytes.deallocate()
    }

    /// Leaks memory by losing the last reference to it.
    private static func leak() {
        let words = UnsafeMutablePointer<UInt>.allocate(capacity: 1_000)
        words.initialize(repeating: 1, count: 1_000)
        print(words[CommandLine.arguments.count])
    }

    /// Runs `body` on `count` threads at once, regardless of the number of processors, and waits for all of them.
    static func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let done = DispatchSemaphore(value: 0)
        for thread in 0..<count {
            Thread.detachNewThread {
                body(thread)
                done.signal()
            }
        }
        for _ in 0..<count { done.wait() }
    }

    /// Memory for one number, which threads share without synchronization on purpose.
    private final class Shared: @unchecked Sendable {
        let pointer = UnsafeMutablePointer<Int>.allocate(capacity: 1)

        init() { pointer.initialize(to: 0) }

        deinit { pointer.deallocate() }
    }
}
