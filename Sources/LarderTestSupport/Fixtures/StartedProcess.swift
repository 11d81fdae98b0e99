package import Foundation

extension Process {
    // Foundation lists `/proc/self/fd` and copies 280 bytes for each entry, which reads beyond the end of the last entry. If the buffer is
    // at the end of a thread's heap, this read crashes (Swift 6.3, `findMaximumOpenFromProcSelfFD`; seen twice in about twenty runs of all
    // tests). The preceding allocation leaves room after the buffer.

    /// Starts the process, avoiding a crash in Foundation that occurs when this process has more than a thousand open files.
    package func start() throws {
        free(malloc(100 << 10))
        try run()
    }
}
