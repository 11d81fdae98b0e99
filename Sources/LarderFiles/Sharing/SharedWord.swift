import CLarderPlatform

/// Waiting for a change of four bytes that processes share, such as a counter in a mapped file, without asking again and
/// again.
///
/// The word is read and changed by atomic operations of the caller's; these calls only sleep and wake.
package enum SharedWord {
    /// Whether the platform has such a thing.
    package static let isSupported = larder_word_wait_is_supported() != 0

    /// Blocks the thread while the word is `expected`, up to `limit`.
    ///
    /// It may return early: look at the word, and wait again. `false` when the time was up. Throws `unsupported` where the
    /// platform has no such thing. The address must be a multiple of four.
    package static func wait(
        on word: UnsafeRawPointer,
        while expected: UInt32,
        within limit: Duration
    ) throws -> Bool {
        let result = larder_word_wait(word.assumingMemoryBound(to: UInt32.self), expected, limit.wholeNanoseconds)
        if result == 0 { return true }
        if SystemCalls.isTimeOut(result) { return false }
        throw FileError(errno: result, .lock, "the shared word")
    }

    /// Wakes everybody who waits on the word, in every process that maps it.
    ///
    /// Call it after the word has changed.
    package static func wake(_ word: UnsafeRawPointer) throws {
        let result = larder_word_wake(word.assumingMemoryBound(to: UInt32.self))
        if result != 0 { throw FileError(errno: result, .lock, "the shared word") }
    }
}

extension Duration {
    /// Nanoseconds, zero for less; as many as there can be for more.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        if seconds < 0 || attoseconds < 0 { return 0 }
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflows || product > Int64.max - 1_000_000_000 ? Int64.max : product + attoseconds / 1_000_000_000
    }
}
