import CLarderPlatform

/// A namespace for functions that affect the current thread.
enum CurrentThread {
    /// Blocks the current thread.
    ///
    /// - Parameter duration: The minimum time to block.
    static func sleep(for duration: Duration) {
        let (seconds, attoseconds) = duration.components
        larder_sleep(seconds, attoseconds / 1_000_000_000)
    }
}
