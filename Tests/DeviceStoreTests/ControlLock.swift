import LarderFiles
import Synchronization
import Testing

/// The lock between processes at its documented offset in the control file, which a test controls.
struct ControlLock {
    let isTaken: Bool
    /// Whether a process waits for the lock.
    var isWaitedFor: Bool { word.pointee.load(ordering: .relaxed) & SharedLock.waitingBit != 0 }
    private let lock: SharedLock
    private let region: any MappedRegion
    private let word: UnsafeMutablePointer<Atomic<UInt32>>

    init(of control: any OpenFile) throws {
        region = try control.map(offset: 0, count: 4096, writable: true)
        word = try #require(region.bytes.baseAddress).advanced(by: 176).assumingMemoryBound(to: Atomic<UInt32>.self)
        lock = try SharedLock(word: word, lastMember: word + 1, file: control)
        isTaken = lock.tryLock()
    }

    func release() throws { try lock.unlock() }
}
