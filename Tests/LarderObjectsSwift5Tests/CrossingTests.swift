#if Objects && DEBUG
import Dispatch
import LarderObjects
import Testing

@Entity final class Parcel {
    var weight = 0
}

/// "There's an assertion to ensure at debug runtime this does not happen": no object leaves `performAndSave`, whatever it is
/// inside of.
///
/// In Swift 5 mode nothing else keeps it. These generic calls compile without a warning; a direct one has a warning.
@Suite struct CrossingTests {
    /// Hands out of `performAndSave` what `make` returns.
    private static func leave<T>(_ make: @escaping @Sendable (any WritableStorageType) throws -> T) async throws -> T {
        let manager = try SQLiteStorageManager(
            inMemory: ObjectModel([Parcel.self]),
            configuration: ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        )
        let result = try await manager.performAndSave(make)
        try manager.close()
        return result
    }

    /// The same by the form with a completion.
    private static func complete<T>(_ make: @escaping @Sendable (any WritableStorageType) throws -> T) async throws {
        let manager = try SQLiteStorageManager(
            inMemory: ObjectModel([Parcel.self]),
            configuration: ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        )
        await withCheckedContinuation { continuation in
            manager.performAndSave(make, completion: { _ in continuation.resume() }, on: .global())
        }
        try manager.close()
    }

    /// Fails unless the process was ended by the assertion.
    private func expectAssertion(_ result: ExitTest.Result?) {
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("An object left performAndSave inside its result"), "\(text)")
    }

    @Test func anObjectIsCaught() async {
        expectAssertion(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try await CrossingTests.leave { storage in try storage.insertNewObject(ofType: Parcel.self) }
            }
        )
    }

    @Test func anOptionalIsLookedInto() async {
        expectAssertion(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try await CrossingTests.leave { storage -> Parcel?? in
                    .some(.some(try storage.insertNewObject(ofType: Parcel.self)))
                }
            }
        )
    }

    @Test func aCollectionIsLookedInto() async {
        expectAssertion(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try await CrossingTests.leave { storage -> [[Parcel]] in
                    [[], [try storage.insertNewObject(ofType: Parcel.self)]]
                }
            }
        )
    }

    @Test func aSetIsLookedInto() async {
        expectAssertion(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try await CrossingTests.leave { storage -> Set<Parcel> in
                    [try storage.insertNewObject(ofType: Parcel.self)]
                }
            }
        )
    }

    @Test func theValuesOfADictionaryAreLookedInto() async {
        expectAssertion(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try await CrossingTests.leave { storage in
                    ["first": try storage.insertNewObject(ofType: Parcel.self)]
                }
            }
        )
    }

    @Test func theKeysOfADictionaryAreLookedInto() async {
        expectAssertion(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try await CrossingTests.leave { storage in [try storage.insertNewObject(ofType: Parcel.self): 1] }
            }
        )
    }

    @Test func aTupleIsLookedInto() async {
        expectAssertion(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try await CrossingTests.leave { storage in
                    (count: 1, first: try storage.insertNewObject(ofType: Parcel.self))
                }
            }
        )
    }

    @Test func anyIsLookedInto() async {
        expectAssertion(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try await CrossingTests.leave { storage -> Any in
                    ["first": (1, try storage.insertNewObject(ofType: Parcel.self) as Any?)]
                }
            }
        )
    }

    @Test func theFormWithACompletionIsLookedAtToo() async {
        expectAssertion(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                try await CrossingTests.complete { storage in [try storage.insertNewObject(ofType: Parcel.self)] }
            }
        )
    }

    @Test func valuesAndIDsMayLeave() async throws {
        let (ids, weights) = try await Self.leave { storage -> ([ObjectID], [String: Any]) in
            let parcel = try storage.insertNewObject(ofType: Parcel.self)
            return ([parcel.objectID], ["weight": (parcel.weight, [parcel.objectID: "id"])])
        }
        #expect(ids.count == 1 && weights.count == 1)
    }
}
#endif
