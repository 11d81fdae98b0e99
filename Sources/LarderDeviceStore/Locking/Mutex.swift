#if DEBUG
import LarderFiles

/// The mutex type of debug builds, in which ThreadSanitizer does not report false races.
///
/// In release builds, `Mutex` refers to `Synchronization.Mutex`.
typealias Mutex<Value: ~Copyable> = TraceableMutex<Value>
#endif
