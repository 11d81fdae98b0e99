import LarderFiles
import Synchronization

/// The shared lock that a process holds on a log while it may write to the log.
///
/// The lock covers one byte of the log file, whose offset depends on the control file.
///
/// See "Owner locks" in `device-log-v1.md`.
final class LogOwnerLock: Sendable {
    private let file: any OpenFile
    private let number: Int
    private let forkGeneration = CurrentProcess.forkGeneration
    private let isReleased = Atomic<Bool>(false)

    private init(_ file: any OpenFile, _ number: Int) {
        self.file = file
        self.number = number
    }

    /// Releases the lock.
    ///
    /// Closing the file is not sufficient, because a mapping of the file, or a copy of its descriptor in a child process, keeps the lock.
    deinit { release() }

    /// Acquires the owner lock for the control file that `control` identifies.
    ///
    /// - Returns: The lock, or `nil` if the file system does not support owner locks.
    static func acquire(on log: any OpenFile, for control: FileInformation) throws -> LogOwnerLock? {
        let number = number(of: control)
        do {
            // No version of Larder holds an exclusive lock on this byte.
            guard try log.hold(number, .shared) else { throw FileError(.busy, .lock, log.path) }
            return LogOwnerLock(log, number)
        } catch let error as FileError where error.code == .unsupported {
            return nil
        }
    }

    /// Returns whether a process that uses a different control file may write to the log.
    func isContested() throws -> Bool {
        guard let found = try file.anyHeld(LogFormat.Owner.numbers) else { return false }
        // The lock found may belong to another process with the same control file.
        return try found != number || file.anyHeld(LogFormat.Owner.numbers.lowerBound..<number) != nil
            || file.anyHeld(number + 1..<LogFormat.Owner.numbers.upperBound) != nil
    }

    /// Releases the lock.
    ///
    /// A second call, or a call in a forked child, has no effect.
    func release() {
        guard CurrentProcess.forkGeneration == forkGeneration else { return }
        guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // If releasing the lock fails, closing the file releases it.
        try? file.release(number)
    }

    /// Returns the lock number for a control file, which is derived from a hash of the control file's device and inode.
    private static func number(of control: FileInformation) -> Int {
        let hash = (control.device &* 0x9E37_79B9_7F4A_7C15 ^ control.inode) &* 0xBF58_476D_1CE4_E5B9
        return LogFormat.Owner.numbers.lowerBound + Int(hash >> UInt64(64 - LogFormat.Owner.hashBits))
    }
}
