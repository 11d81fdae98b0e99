import CLarderPlatform

/// The thread that a call runs on.
enum CurrentThread {
    /// Blocks the thread.
    ///
    /// - Parameter duration: At least so long.
    static func sleep(for duration: Duration) {
        let (seconds, attoseconds) = duration.components
        larder_sleep(seconds, attoseconds / 1_000_000_000)
    }
}
