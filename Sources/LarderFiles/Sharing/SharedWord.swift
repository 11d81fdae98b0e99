import CLarderPlatform

/// A namespace for functions that wait for changes to a 32-bit word in shared memory without polling.
///
/// These functions only block and wake threads. Callers read and change the word with atomic operations.
package enum SharedWord {
    /// Whether the platform supports waiting for changes to shared memory.
    package static let isSupported = larder_word_wait_is_supported() != 0

    /// Blocks the current thread while the word equals `expected`, for at most `limit`.
    ///
    /// Returns `false` if the time limit was reached.
    ///
    /// The call may return early, so the caller must check the word and wait again. The address must be a multiple of four. Throws
    /// ``FileError`` with code `unsupported` if ``isSupported`` is `false`.
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

    /// Wakes all threads that wait for a change to the word, in every process that maps it.
    ///
    /// Call this function after changing the word.
    package static func wake(_ word: UnsafeRawPointer) throws {
        let result = larder_word_wake(word.assumingMemoryBound(to: UInt32.self))
        if result != 0 { throw FileError(errno: result, .lock, "the shared word") }
    }
}

extension Duration {
    /// The duration in nanoseconds, clamped to the range from zero to `Int64.max`.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        if seconds < 0 || attoseconds < 0 { return 0 }
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflows || product > Int64.max - 1_000_000_000 ? Int64.max : product + attoseconds / 1_000_000_000
    }
}
