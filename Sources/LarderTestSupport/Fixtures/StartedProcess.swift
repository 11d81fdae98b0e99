package import Foundation

extension Process {
    /// `run()`, without the crash that it risks in a process with more than a thousand open files.
    ///
    /// Foundation lists `/proc/self/fd` and copies each entry as if it were 280 bytes long; the last one in the buffer is not, and where
    /// that buffer is the last thing in the heap of a thread, the copy reads beyond it (Swift 6.3, `findMaximumOpenFromProcSelfFD`; seen
    /// twice in some twenty runs of all tests). What was allocated here just before leaves room behind the buffer.
    package func start() throws {
        free(malloc(100 << 10))
        try run()
    }
}
