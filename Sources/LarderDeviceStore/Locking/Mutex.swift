#if DEBUG
import LarderFiles

/// The mutex of debug builds; in release builds the name means `Synchronization.Mutex`.
typealias Mutex<Value: ~Copyable> = TraceableMutex<Value>
#endif
