import Foundation
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct SpinningMutexTests {
    #if DEBUG
    @Test func recursiveMutexLockCrashesWithMessage() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            // Ends the process if it deadlocks.
            alarm(30)
            let mutex = SpinningMutex()
            mutex.take()
            mutex.take()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("acquire a lock that it already holds"), "\(text)")
    }
    #endif
}
