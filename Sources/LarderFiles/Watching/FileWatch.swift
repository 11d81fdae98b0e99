internal import Synchronization

/// A file that is being watched, until ``end()`` is called or this object is deallocated.
package final class FileWatch: Sendable {
    private let stop: Mutex<(@Sendable () -> Void)?>

    init(_ stop: @escaping @Sendable () -> Void) { self.stop = Mutex(stop) }

    /// Stops watching the file.
    ///
    /// If the closure is running on another thread, that run completes. Further calls have no effect.
    package func end() {
        let stop = stop.withLock { stop in
            defer { stop = nil }
            return stop
        }
        stop?()
    }

    deinit { end() }
}
