#if Objects
import Foundation
import LarderCore
import LarderObjects
import Testing

/// Tests of conflicts in entities with properties that the struct lacks.
@Suite struct ConflictDefaultsTests {
    struct Memo: Sendable, Equatable {
        var number: Int64
        var text: String
    }

    @Entity(bridges: Memo.self) final class StoredMemo {
        @Attribute(.unique) var number: Int64
        var text: String = ""
        @Attribute(.unbridged) var mark: UUID = UUID()
        @Attribute(.unbridged) var made: Date = Date()
    }

    @Test func defaultsThatDifferFromCallToCallAreNoConflict() async throws {
        try await withStorage(model: ObjectModel([StoredMemo.self])) { manager in
            let read = Memo(number: 1, text: "a")
            let mark = try await manager.performAndSave { storage in
                _ = try storage.upsert([read], by: \StoredMemo.number)
                return try #require(try storage.firstObject(ofType: StoredMemo.self)).mark
            }
            try await manager.performAndSave { storage in
                _ = try storage.update(
                    StoredMemo.self,
                    by: \.number,
                    from: Memo(number: 1, text: "b"),
                    expecting: read
                )
            }
            let memo = try #require(try manager.viewStorage.firstObject(ofType: StoredMemo.self))
            #expect(memo.text == "b" && memo.mark == mark)
        }
    }
}
#endif
