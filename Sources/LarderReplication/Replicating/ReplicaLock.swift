import LarderCore
import LarderFiles

/// The lock of the instance that replicates, among all that have a replica open.
package enum ReplicaLock: Sendable {
    /// A lock on a file, which the operating system releases when the process ends.
    case file(String)
    /// No lock, because no other instance has the replica open.
    case none

    /// A lock that is held until it is released.
    struct Held: Sendable {
        fileprivate let lock: HeldLock?

        func release() { lock?.release() }
    }

    /// Acquires the lock if it is free, and returns `nil` otherwise.
    func acquire() async throws -> Held? {
        switch self {
        case .none: return Held(lock: nil)
        case .file(let path):
            return try await withBlockingWork {
                do {
                    return Held(lock: try LockFile(at: path).acquire(within: .zero))
                } catch let error as FileError where error.code == .busy {
                    return nil
                }
            }
        }
    }
}
