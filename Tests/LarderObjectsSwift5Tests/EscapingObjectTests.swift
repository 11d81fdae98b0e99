#if Objects && DEBUG
import Dispatch
import LarderObjects
import Testing

@Entity final class Parcel {
    var weight = 0
}

/// Tests that an object at any depth of the result of `performAndSave` triggers an assertion failure in debug builds.
///
/// The assertion matters in Swift 5 mode, where these generic calls compile without a warning, while direct calls cause a warning.
@Suite struct EscapingObjectTests {
    /// Calls `make` inside `performAndSave` and returns its result.
    private static func leave<T>(_ make: @escaping @Sendable (any WritableStorageType) throws -> T) async throws -> T {
        let manager = try SQLiteStorageManager(
            inMemory: ObjectModel([Parcel.self]),
            configuration: ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        )
        let result = try await manager.performAndSave(make)
        try manager.close()
        return result
    }

    /// Calls `make` inside `performAndSave` and passes its result to the completion handler.
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

    /// Fails unless the assertion ended the process.
    private func expectAssertion(_ result: ExitTest.Result?) {
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("The result of performAndSave contains an object"), "\(text)")
    }

    @Test func returningObjectFromPerformAndSaveTraps() async {
        expectAssertion(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try await EscapingObjectTests.leave { storage in try storage.insertNewObject(ofType: Parcel.self) }
            }
        )
    }

    @Test func returningOptionalObjectFromPerformAndSaveTraps() async {
        expectAssertion(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try await EscapingObjectTests.leave { storage -> Parcel?? in
                    .some(.some(try storage.insertNewObject(ofType: Parcel.self)))
                }
            }
        )
    }

    @Test func returningArrayOfObjectsFromPerformAndSaveTraps() async {
        expectAssertion(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try await EscapingObjectTests.leave { storage -> [[Parcel]] in
                    [[], [try storage.insertNewObject(ofType: Parcel.self)]]
                }
            }
        )
    }

    @Test func returningSetOfObjectsFromPerformAndSaveTraps() async {
        expectAssertion(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try await EscapingObjectTests.leave { storage -> Set<Parcel> in
                    [try storage.insertNewObject(ofType: Parcel.self)]
                }
            }
        )
    }

    @Test func returningDictionaryWithObjectValueFromPerformAndSaveTraps() async {
        expectAssertion(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try await EscapingObjectTests.leave { storage in
                    ["first": try storage.insertNewObject(ofType: Parcel.self)]
                }
            }
        )
    }

    @Test func returningDictionaryWithObjectKeyFromPerformAndSaveTraps() async {
        expectAssertion(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try await EscapingObjectTests.leave { storage in
                    [try storage.insertNewObject(ofType: Parcel.self): 1]
                }
            }
        )
    }

    @Test func returningTupleWithObjectFromPerformAndSaveTraps() async {
        expectAssertion(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try await EscapingObjectTests.leave { storage in
                    (count: 1, first: try storage.insertNewObject(ofType: Parcel.self))
                }
            }
        )
    }

    @Test func returningObjectAsAnyFromPerformAndSaveTraps() async {
        expectAssertion(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try await EscapingObjectTests.leave { storage -> Any in
                    ["first": (1, try storage.insertNewObject(ofType: Parcel.self) as Any?)]
                }
            }
        )
    }

    @Test func passingObjectToCompletionTraps() async {
        expectAssertion(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                try await EscapingObjectTests.complete { storage in [try storage.insertNewObject(ofType: Parcel.self)] }
            }
        )
    }

    @Test func performAndSaveCanReturnValuesAndIDs() async throws {
        let (ids, weights) = try await Self.leave { storage -> ([ObjectID], [String: Any]) in
            let parcel = try storage.insertNewObject(ofType: Parcel.self)
            return ([parcel.objectID], ["weight": (parcel.weight, [parcel.objectID: "id"])])
        }
        #expect(ids.count == 1 && weights.count == 1)
    }
}
#endif
