#if DEBUG
import LarderFiles

/// The mutex type of debug builds, whose operations can be traced.
///
/// In release builds, `Mutex` refers to `Synchronization.Mutex`.
typealias Mutex<Value: ~Copyable> = TraceableMutex<Value>
#endif
