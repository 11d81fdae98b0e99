#if Objects
@testable import LarderObjects
import LarderTesting
import Testing

/// Tests of the array whose copies share the chunks that did not change.
@Suite struct ChunkedListTests {
    @Test func behavesLikeArray() {
        var random = SeededGenerator(seed: 1)
        var list = ChunkedList<Int>()
        var array: [Int] = []
        for step in 0..<100_000 {
            // The list grows and shrinks in turns, so that chunks are split and merged.
            let grows = step / 10_000 % 2 == 0
            if array.isEmpty || Int.random(in: 0..<10, using: &random) < (grows ? 7 : 3) {
                let index = Int.random(in: 0...array.count, using: &random)
                list.insert(step, at: index)
                array.insert(step, at: index)
            } else {
                let index = Int.random(in: 0..<array.count, using: &random)
                list.remove(at: index)
                array.remove(at: index)
            }
            guard step % 500 == 0 else { continue }
            #expect(Array(list) == array)
        }
    }

    @Test(arguments: [0, 1, 511, 512, 513, 2_000])
    func placeIsFirstElementThatMeetsCondition(_ count: Int) {
        let list = ChunkedList(Array(0..<count))
        #expect(list.count == count)
        for index in 0...count { #expect(list.place { $0 >= index } == index) }
    }

    @Test func copyKeepsItsElements() {
        var list = ChunkedList(Array(0..<2_000))
        let copy = list
        list.remove(at: 700)
        list.insert(-1, at: 0)
        #expect(Array(copy) == Array(0..<2_000))
    }

    @Test func copySharesChunks() {
        let list = ChunkedList(Array(0..<2_000))
        var copy = list
        copy.remove(at: 700)
        func addresses(_ list: ChunkedList<Int>) -> [UnsafePointer<Int>?] {
            list.chunks.map { $0.withUnsafeBufferPointer(\.baseAddress) }
        }
        let isShared = zip(addresses(list), addresses(copy)).map { $0 == $1 }
        #expect(isShared == [true, false, true, true])
    }
}
#endif
