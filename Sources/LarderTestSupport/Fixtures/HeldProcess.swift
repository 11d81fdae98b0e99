package import Foundation

/// A process that a test starts holds no longer than the test: who starts it keeps its standard input open, and it ends when that is
/// closed, as it is when the test itself is killed.
///
/// Without it, one that writes until it is killed writes until the disk is full.
package enum HeldProcess {
    /// For who starts it, before it runs.
    package static func hold(_ process: Process) { process.standardInput = Pipe() }

    /// With what status it ends then.
    package static let endedLetGo: Int32 = 3

    /// For the process itself, once, at its start: it ends when it is let go.
    package static func endWhenLetGo() {
        Thread.detachNewThread {
            // The signals that a test sends are for the threads that the test is about.
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_BLOCK, &all, nil)
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                if count == 0 || count < 0 && errno != EINTR { _exit(endedLetGo) }
            }
        }
    }
}
