#if Command
import Foundation
import Synchronization

/// A namespace for functions that handle SIGINT and SIGTERM, so that the process exits normally.
enum Interruption {
    private static let flag = Atomic(false)

    static var hasCome: Bool { flag.load(ordering: .acquiring) }

    static func begin() {
        // The flag is cleared here, because signal handlers only set it.
        flag.store(false, ordering: .releasing)
        var ours = sigset_t()
        sigemptyset(&ours)
        for number in [SIGINT, SIGTERM] {
            signal(number) { _ in Interruption.flag.store(true, ordering: .releasing) }
            sigaddset(&ours, number)
        }
        // A process that was started from a Dispatch thread inherits a mask that blocks these signals.
        pthread_sigmask(SIG_UNBLOCK, &ours, nil)
    }

    static func end() { for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) } }
}
#endif
