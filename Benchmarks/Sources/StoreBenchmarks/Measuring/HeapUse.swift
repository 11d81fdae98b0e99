import CHeapUse

/// Measurements of allocated memory.
enum HeapUse {
    /// Returns the number of bytes by which allocated memory grows while `body` runs, or 0 if the allocator does not report it.
    static func growth(_ body: () throws -> Void) rethrows -> Double {
        let before = heap_use()
        try body()
        return Double(heap_use()) - Double(before)
    }
}
