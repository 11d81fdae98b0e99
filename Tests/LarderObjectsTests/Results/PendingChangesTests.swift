#if Objects
import Testing

@testable import LarderObjects

/// Tests of the changes that a list collects until it is read.
@Suite struct PendingChangesTests {
    private func changes(_ change: (inout RowChanges) -> Void) -> RowChanges {
        var changes = RowChanges(entities: 2)
        change(&changes)
        return changes
    }

    @Test func repeatedRowsAreJoined() throws {
        var pending = PendingChanges()
        for number in 0..<5_000 {
            pending.add(
                changes { changes in
                    changes.update(0, Int64(number % 10), ColumnSet([number % 3]))
                    changes.insert(LinkPair(source: 1, target: Int64(number)), in: "Post.tags")
                }
            )
        }
        let changes = pending.take()
        let taken = try #require(changes)
        #expect(!taken.isComplete)
        #expect(taken.entities[0].updated.count < 2_000)
        #expect(Set(taken.entities[0].updated.map(\.row)) == Set(0..<10))
        #expect((taken.links["Post.tags"]?.inserted.count ?? 0) < 2_000)
        #expect(pending.isEmpty)
    }

    @Test func tooManyRowsAreAnything() throws {
        var pending = PendingChanges()
        for number in 0..<100 {
            pending.add(changes { changes in for row in 0..<250 { changes.insert(1, Int64(number * 250 + row)) } })
        }
        let changes = pending.take()
        let taken = try #require(changes)
        #expect(taken.isComplete && taken.entities.allSatisfy(\.isEmpty))
    }

    @Test func rowThatReturnsHasChanged() throws {
        var pending = PendingChanges()
        pending.add(changes { $0.delete(0, 7) })
        pending.add(changes { $0.insert(0, 7) })
        for _ in 0..<2_000 { pending.add(changes { $0.update(1, 1, ColumnSet([0])) }) }
        let changes = pending.take()
        let taken = try #require(changes)
        #expect(taken.entities[0].inserted == [7] && taken.entities[0].deleted == [7])
    }
}
#endif
