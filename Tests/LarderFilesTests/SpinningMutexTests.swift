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
    @Test func recursiveUseStopsAndNamesTheFault() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            // A process that waits for itself ends all the same.
            alarm(30)
            let mutex = SpinningMutex()
            mutex.take()
            mutex.take()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("acquires a lock that it holds"), "\(text)")
    }
    #endif
}
