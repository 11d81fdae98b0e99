import CLarderPlatform

/// A namespace for properties of the current thread.
package enum CurrentThread {
    /// A nonzero number that is unique among all threads that this process has had.
    package static var number: UInt32 { larder_thread_number() }
}
