import LarderCore
import Testing

/// What waits to be told to observers.
@Suite struct QueueTests {
    @Test func whatComesFirstIsTakenFirst() {
        var queue = Queue<Int>()
        var taken: [Int] = []
        for number in 0..<1_000 {
            queue.append(number)
            // Now fewer come than go, now more.
            for _ in 0..<(number % 7 < 4 ? 2 : 0) { if let next = queue.popFirst() { taken.append(next) } }
            #expect(queue.count == number + 1 - taken.count)
        }
        while let next = queue.popFirst() { taken.append(next) }
        #expect(taken == Array(0..<1_000))
    }

    @Test func anEmptyOneHasNothingToTake() {
        var queue = Queue<Int>()
        queue.append(1)
        #expect(queue.popFirst() == 1)
        #expect(queue.popFirst() == nil)
        #expect(queue.isEmpty)
    }

    @Test func whatWasTakenIsLetGoOf() {
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

    @Test func removingAllLeavesNothing() {
        var queue = Queue<Int>()
        for number in 0..<5 { queue.append(number) }
        queue.removeAll()
        #expect(queue.isEmpty)
        queue.append(7)
        #expect(queue.popFirst() == 7)
    }
}
