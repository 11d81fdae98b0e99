/// A reusable, noncopyable buffer that avoids uniqueness checks and reference counting.
///
/// The unchecked `Sendable` conformance is safe, because the buffer is the sole owner of its memory.
struct KeptBuffer<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
    private var start: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        start = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit { start.deallocate() }

    /// The address of the first element, valid until the next mutation of the buffer.
    var address: UnsafeMutableRawPointer { UnsafeMutableRawPointer(start) }

    /// A view of the elements, valid until the next mutation of the buffer.
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

    /// Appends copies of `element` until the buffer contains `count` elements.
    ///
    /// `count` must not be less than the current number of elements.
    mutating func extend(to count: Int, with element: Element) {
        if count > capacity { resize(to: max(count, 2 * capacity)) }
        (start + self.count).initialize(repeating: element, count: count - self.count)
        self.count = count
    }

    mutating func removeLast() { count -= 1 }

    /// Removes all elements, and shrinks the capacity to `kept` elements if it is larger.
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
