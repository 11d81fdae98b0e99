import LarderCore
import Testing

/// Tests of the queue that holds undelivered change events.
@Suite struct QueueTests {
    @Test func queueReturnsElementsInInsertionOrder() {
        var queue = Queue<Int>()
        var taken: [Int] = []
        for number in 0..<1_000 {
            queue.append(number)
            // The queue alternately grows and shrinks.
            for _ in 0..<(number % 7 < 4 ? 2 : 0) { if let next = queue.popFirst() { taken.append(next) } }
            #expect(queue.count == number + 1 - taken.count)
        }
        while let next = queue.popFirst() { taken.append(next) }
        #expect(taken == Array(0..<1_000))
    }

    @Test func emptyQueueReturnsNil() {
        var queue = Queue<Int>()
        queue.append(1)
        #expect(queue.popFirst() == 1)
        #expect(queue.popFirst() == nil)
        #expect(queue.isEmpty)
    }

    @Test func queueReleasesRemovedElement() {
        final class Held {}
        var queue = Queue<Held>()
        weak var first: Held?
        do {
            let held = Held()
            first = held
            queue.append(held)
        }
        for _ in 0..<10 { queue.append(Held()) }
        _ = queue.popFirst()
        #expect(first == nil)
        #expect(queue.count == 10)
    }

    @Test func removingAllElementsEmptiesQueue() {
        var queue = Queue<Int>()
        for number in 0..<5 { queue.append(number) }
        queue.removeAll()
        #expect(queue.isEmpty)
        queue.append(7)
        #expect(queue.popFirst() == 7)
    }
}
