import CLarderPlatform

/// A namespace for properties of the current thread.
package enum CurrentThread {
    /// A nonzero number that identifies the current thread and is not reused after the thread ends.
    package static var number: UInt32 { larder_thread_number() }
}
