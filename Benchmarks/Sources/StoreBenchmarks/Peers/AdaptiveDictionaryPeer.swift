import CThreadPeer
import LarderCore

/// A dictionary behind an adaptive mutex, which is a lower limit for a store that several threads use.
final class AdaptiveDictionaryPeer: @unchecked Sendable {
    // Sendable because it is only accessed while the mutex is held.
    private let values = UnsafeMutablePointer<[String: StoredValue]>.allocate(capacity: 1)
    private let mutex = adaptive_mutex_create()

    init(_ keys: [String], _ value: (Int) -> StoredValue) {
        values.initialize(to: [:])
        for (index, key) in keys.enumerated() { values.pointee[key] = value(index) }
    }

    deinit {
        values.deinitialize(count: 1)
        values.deallocate()
        adaptive_mutex_destroy(mutex)
    }

    func get(_ key: String) -> StoredValue? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return values.pointee[key]
    }

    func put(_ value: StoredValue, _ key: String) {
        pthread_mutex_lock(mutex)
        values.pointee[key] = value
        pthread_mutex_unlock(mutex)
    }
}
