#if DEBUG
import LarderFiles

/// The mutex of debug builds, whose use can be traced.
///
/// In release builds, `Mutex` refers to `Synchronization.Mutex`.
typealias Mutex<Value: ~Copyable> = TraceableMutex<Value>
#endif
