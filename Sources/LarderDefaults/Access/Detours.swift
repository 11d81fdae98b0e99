import Synchronization

/// What may stand in the way of putting a value straight into a store, all of it in one number, which is zero as a rule.
///
/// It lies in one place because a write that ends in a system call finds little in the processor's caches afterwards.
enum Detours {
    /// Claims and observers in the lower half, names that were unreadable once in the upper.
    private static let count = Atomic<UInt64>(0)
    private static let unreadable: UInt64 = 1 << 32

    /// Whether there is none.
    static var areNone: Bool { count.load(ordering: .acquiring) == 0 }
    /// Whether there is none but names that were unreadable once.
    static var areNamesAlone: Bool { count.load(ordering: .acquiring) & (unreadable - 1) == 0 }

    /// A claim was taken, or an observation begins.
    static func begin() { count.add(1, ordering: .relaxed) }
    /// It has ended.
    static func end() { count.subtract(1, ordering: .relaxed) }
    /// A name was unreadable for the first time.
    static func noteName() { count.add(unreadable, ordering: .releasing) }
}
