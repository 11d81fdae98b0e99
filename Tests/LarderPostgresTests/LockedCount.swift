#if Postgres
import Synchronization

/// A counter that several threads may increment.
final class LockedCount: Sendable {
    private let value = Atomic<Int>(0)

    var count: Int { value.load(ordering: .sequentiallyConsistent) }

    func increment() { value.add(1, ordering: .sequentiallyConsistent) }
}
#endif
