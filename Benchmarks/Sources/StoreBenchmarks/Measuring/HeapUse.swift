import CHeapUse

/// How much memory is allocated.
enum HeapUse {
    /// By how many bytes that grows while `body` runs; always 0 where the allocator does not tell.
    static func growth(_ body: () throws -> Void) rethrows -> Double {
        let before = heap_use()
        try body()
        return Double(heap_use()) - Double(before)
    }
}
