import CLarderPlatform

enum CurrentThread {
    /// Blocks the current thread for at least the given duration.
    ///
    /// - Parameter duration: The minimum time to block.
    static func sleep(for duration: Duration) {
        let (seconds, attoseconds) = duration.components
        larder_sleep(seconds, attoseconds / 1_000_000_000)
    }
}
