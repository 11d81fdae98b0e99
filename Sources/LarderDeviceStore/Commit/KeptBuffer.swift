/// A reusable, noncopyable buffer, which needs no uniqueness checks or reference counting.
///
/// The buffer is `Sendable` although it holds a pointer, because it can't be copied and its memory has a single owner.
struct KeptBuffer<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
    private var start: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        start = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit { start.deallocate() }

    /// The address of the first element, which is valid until the next mutation of the buffer.
    var address: UnsafeMutableRawPointer { UnsafeMutableRawPointer(start) }

    /// The elements as a view of the buffer's memory, which is valid until the next mutation of the buffer.
    var elements: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: start, count: count) }

    /// Accesses the element at `index` without a bounds check.
    subscript(index: Int) -> Element {
        get { start[index] }
        set { start[index] = newValue }
    }

    mutating func append(_ element: Element) {
        if count == capacity { resize(to: 2 * capacity) }
        (start + count).initialize(to: element)
        count += 1
    }

    /// Appends copies of `element` until the buffer has `count` elements, which must exceed the current count.
    mutating func extend(to count: Int, with element: Element) {
        if count > capacity { resize(to: max(count, 2 * capacity)) }
        (start + self.count).initialize(repeating: element, count: count - self.count)
        self.count = count
    }

    mutating func removeLast() { count -= 1 }

    /// Removes all elements, and reduces a larger capacity to `kept` elements.
    mutating func removeAll(keeping kept: Int) {
        count = 0
        if capacity > kept { resize(to: kept) }
    }

    private mutating func resize(to capacity: Int) {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
        larger.initialize(from: start, count: count)
        start.deallocate()
        start = larger
        self.capacity = capacity
    }
}
