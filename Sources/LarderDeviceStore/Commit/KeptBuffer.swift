/// Elements in memory that is used again and again and has one owner: nothing is asked or counted before it is changed.
///
/// Sendable although it holds a pointer: it can't be copied, so the memory has one owner, and goes where it goes.
struct KeptBuffer<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
    private var start: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        start = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit { start.deallocate() }

    /// One element; nobody checks that there is one.
    @inline(__always)
    subscript(index: Int) -> Element {
        get { start[index] }
        set { start[index] = newValue }
    }

    @inline(__always)
    mutating func append(_ element: Element) {
        if count == capacity { resize(to: 2 * capacity) }
        (start + count).initialize(to: element)
        count += 1
    }

    /// Adds `element` until there are `count`, which are more than there were.
    mutating func extend(to count: Int, with element: Element) {
        if count > capacity { resize(to: max(count, 2 * capacity)) }
        (start + self.count).initialize(repeating: element, count: count - self.count)
        self.count = count
    }

    /// Drops all elements, and memory for more than `kept`.
    mutating func removeAll(keeping kept: Int) {
        count = 0
        if capacity > kept { resize(to: kept) }
    }

    @inline(never)
    private mutating func resize(to capacity: Int) {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
        larger.initialize(from: start, count: count)
        start.deallocate()
        start = larger
        self.capacity = capacity
    }
}
