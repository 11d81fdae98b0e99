import LarderFiles
import Synchronization

/// The shared lock that a process holds on a log for as long as it may write to it, on a byte that its control file determines.
///
/// See "Owner locks" of `device-log-v1.md`.
final class LogOwnerLock: Sendable {
    private let file: any OpenFile
    private let number: Int
    private let forkGeneration = CurrentProcess.forkGeneration
    private let isReleased = Atomic<Bool>(false)

    private init(_ file: any OpenFile, _ number: Int) {
        self.file = file
        self.number = number
    }

    /// A map of the file, or a copy of its descriptor in a program that is being started, would keep the lock after the file is closed.
    deinit { release() }

    /// Acquires the lock of the control file with that identity.
    ///
    /// - Returns: `nil` where files have no such locks.
    static func acquire(on log: any OpenFile, for control: FileInformation) throws -> LogOwnerLock? {
        let number = number(of: control)
        do {
            // No version of Larder has an exclusive lock there.
            guard try log.hold(number, .shared) else { throw FileError(.busy, .lock, log.path) }
            return LogOwnerLock(log, number)
        } catch let error as FileError where error.code == .unsupported {
            return nil
        }
    }

    /// Whether a process with another control file holds an owner lock on the log.
    func isContested() throws -> Bool {
        guard let found = try file.anyHeld(LogFormat.Owner.numbers) else { return false }
        // It may be that of another process with the same control file.
        return try found != number || file.anyHeld(LogFormat.Owner.numbers.lowerBound..<number) != nil
            || file.anyHeld(number + 1..<LogFormat.Owner.numbers.upperBound) != nil
    }

    /// Releases the lock; a second call has no effect.
    ///
    /// Has no effect in a child that was forked: there the lock is its parent's.
    func release() {
        guard CurrentProcess.forkGeneration == forkGeneration else { return }
        guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // Should this fail, closing the file releases it.
        try? file.letGo(number)
    }

    /// Which of the numbers stands for a control file: a hash of device and inode.
    private static func number(of control: FileInformation) -> Int {
        let hash = (control.device &* 0x9E37_79B9_7F4A_7C15 ^ control.inode) &* 0xBF58_476D_1CE4_E5B9
        return LogFormat.Owner.numbers.lowerBound + Int(hash >> UInt64(64 - LogFormat.Owner.hashBits))
    }
}
