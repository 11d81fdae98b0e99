import Foundation
import Synchronization

/// What a sanitizer must find, and one thing that it must not: `DeviceStoreHelper race|handover|overrun|leak -`.
///
/// `Scripts/sanitize.sh` runs these first, so that "nothing was found" means that somebody looked.
enum Canary {
    /// Runs one; `false` when there is none of that name.
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

    /// Two threads write one number, and nothing says which is first.
    private static func race() {
        let number = Shared()
        onThreads(2) { _ in for _ in 0..<1_000 { number.pointer.pointee += 1 } }
    }

    /// Threads that wait for a `Mutex`, so that it is handed over by the kernel: no race at all.
    private static func handOver() {
        let number = Mutex(Shared())
        onThreads(4) { _ in
            for round in 0..<400 {
                number.withLock { number in
                    number.pointer.pointee += 1
                    // Held so long that the others fall asleep in the kernel, which is what is to be seen; nothing is waited for.
                    if round % 4 == 0 { usleep(50) }
                }
            }
        }
    }

    /// A read behind the end of what was allocated.
    private static func overrun() {
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 24)
        bytes.initialize(repeating: 1, count: 24)
        print(bytes[CommandLine.arguments.count + 24])
        bytes.deallocate()
    }

    /// Memory that nobody can give back any more.
    private static func leak() {
        let words = UnsafeMutablePointer<UInt>.allocate(capacity: 1_000)
        words.initialize(repeating: 1, count: 1_000)
        print(words[CommandLine.arguments.count])
    }

    /// Runs `body` on so many threads at once, however few processors there are, and waits for all.
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

    /// Memory for one number.
    ///
    /// Sendable although nothing protects it: that is the point.
    private final class Shared: @unchecked Sendable {
        let pointer = UnsafeMutablePointer<Int>.allocate(capacity: 1)

        init() { pointer.initialize(to: 0) }

        deinit { pointer.deallocate() }
    }
}
