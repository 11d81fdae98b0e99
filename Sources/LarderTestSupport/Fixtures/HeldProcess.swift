package import Foundation

/// A namespace for functions that end a child process when the test that started it ends, even if the test is killed.
///
/// The test keeps the standard input of the child process open, and the child ends when its input is closed. Otherwise, a child that writes
/// until it is killed would fill the disk.
package enum HeldProcess {
    /// Prepares `process` so that it ends when this process ends.
    ///
    /// Call this method in the parent before `process` is started.
    package static func hold(_ process: Process) { process.standardInput = Pipe() }

    /// The exit status of a child process that ended because its standard input was closed.
    package static let inputClosedStatus: Int32 = 3

    /// Exits the current process when its standard input is closed.
    ///
    /// Call this method once, when the process starts.
    package static func exitWhenInputCloses() {
        Thread.detachNewThread {
            // This thread blocks all signals, because tests send signals to the threads under test.
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_BLOCK, &all, nil)
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                if count == 0 || count < 0 && errno != EINTR { _exit(inputClosedStatus) }
            }
        }
    }
}
