import LarderCore
import LarderDataSources

/// A run of one contract check on one data source.
struct DataSourceContractRun<T: Sendable & Equatable>: CheckRun {
    typealias Violation = DataSourceContractViolation

    let check: DataSourceCheck
    let source: AnyDataSource<T>
    let values: [T]

    func body() async throws {
        let (first, second) = (values[0], values[1])
        switch check {
        case .behavior01StoredValueIsReturned:
            try require(try await source.put(first, in: IdQuery("a")).value == first, "put must return the value")
            try require(try await source.get(IdQuery("a")).value == first, "get must return the value that was put")
            _ = try await source.put(second, in: IdQuery("a")).value
            try require(try await source.get(IdQuery("a")).value == second, "put must replace the earlier value")
        case .behavior02ListIsReturnedInOrder:
            try require(
                try await source.putAll(values, in: IdQuery("l")).value == values,
                "putAll must return the list"
            )
            try require(try await source.getAll(IdQuery("l")).value == values, "getAll must return the list in order")
        case .behavior05ValuesFollowOrderOfIdentifiers:
            let ids = IdsQuery(["c", "a", "b"])
            try require(
                try await source.putAll(Array(values.prefix(3)), in: ids).value.count == 3,
                "putAll must return three values"
            )
            try require(
                try await source.getAll(ids).value == Array(values.prefix(3)),
                "getAll must return the values in the order of the ids"
            )
            try require(try await source.get(IdQuery("a")).value == second, "get must return the value of the given id")
        case .behavior06DeletedValueIsNotFound:
            _ = try await source.put(first, in: IdQuery("a")).value
            _ = try await source.putAll(values, in: IdQuery("l")).value
            try await source.delete(IdQuery("a")).value
            try await source.delete(IdQuery("l")).value
            try await requireFailure(CoreError.NotFound.self) { try await source.get(IdQuery("a")).value }
            try await requireFailure(CoreError.NotFound.self) { try await source.getAll(IdQuery("l")).value }
        case .behavior07AllObjectsAreReadAndDeleted: try await everything()
        case .behavior09UnknownKeyIsNotFound:
            try await requireFailure(CoreError.NotFound.self) { try await source.get(IdQuery("none")).value }
            try await requireFailure(CoreError.NotFound.self) { try await source.getAll(IdQuery("none")).value }
        case .behavior11UnsupportedQueryIsRejected: try await unknownQueries()
        case .behavior16KeyHoldsValueOrList:
            _ = try await source.putAll(values, in: IdQuery("a")).value
            _ = try await source.put(first, in: IdQuery("a")).value
            try require(try await source.get(IdQuery("a")).value == first, "get must return the value put last")
            try await requireOtherShape { try await source.getAll(IdQuery("a")).value }
            _ = try await source.putAll(values, in: IdQuery("a")).value
            try require(try await source.getAll(IdQuery("a")).value == values, "getAll must return the list put last")
            try await requireOtherShape { try await source.get(IdQuery("a")).value }
        case .behavior26NilIsRejected:
            _ = try await source.put(first, in: IdQuery("a")).value
            try await requireFailure(CoreError.IllegalArgument.self) {
                try await source.put(nil, in: IdQuery("a")).value
            }
            try require(try await source.get(IdQuery("a")).value == first, "rejecting nil must not change the value")
        case .behavior28MissingIdentifierIsNotFound:
            _ = try await source.put(first, in: IdQuery("a")).value
            try await requireFailure(CoreError.NotFound.self) {
                try await source.getAll(IdsQuery(["a", "none"])).value
            }
        case .behavior29DifferentCountsAreRejected:
            try await requireFailure(CoreError.IllegalArgument.self) {
                try await source.putAll([first], in: IdsQuery(["a", "b"])).value
            }
            try await requireFailure(CoreError.NotFound.self) { try await source.get(IdQuery("a")).value }
        case .behavior30DeletingMissingValueSucceeds:
            try await source.delete(IdQuery("none")).value
            try await source.delete(IdsQuery([1, 2])).value
        case .behavior32OnlyGivenIdentifiersAreDeleted:
            _ = try await source.putAll(Array(values.prefix(3)), in: IdsQuery([1, 2, 3])).value
            try await source.delete(IdsQuery([1, 3, 4])).value
            try await requireFailure(CoreError.NotFound.self) { try await source.get(IdQuery(1)).value }
            try require(try await source.get(IdQuery(2)).value == second, "delete must not remove other values")
        case .allObjectsQueryIsRejectedAsKey:
            try await requireFailure(CoreError.QueryNotSupported.self) { try await source.get(AllObjectsQuery()).value }
            try await requireFailure(CoreError.QueryNotSupported.self) {
                try await source.put(first, in: AllObjectsQuery()).value
            }
            try await requireFailure(CoreError.QueryNotSupported.self) {
                try await source.putAll(values, in: AllObjectsQuery()).value
            }
        case .emptyListsAndUnusualKeysAreStored:
            _ = try await source.putAll([], in: IdQuery("l")).value
            try require(try await source.getAll(IdQuery("l")).value.isEmpty, "getAll must return the empty list")
            for key in ["é", "e\u{301}", "../x", "a b", "a.b", "A", "\u{1}", String(repeating: "k", count: 90)] {
                _ = try await source.put(first, in: KeyQuery(key)).value
                try require(
                    try await source.get(KeyQuery(key)).value == first,
                    "\(key.debugDescription) must be accepted as a key"
                )
                try await source.delete(KeyQuery(key)).value
                try await requireFailure(CoreError.NotFound.self) { try await source.get(KeyQuery(key)).value }
            }
        case .updatesAreAtomic: try await updates()
        case .entriesContainKeys:
            _ = try await source.put(second, in: IdQuery("b")).value
            _ = try await source.put(first, in: IdQuery("a")).value
            let entries = try await source.entries().value
            try require(
                entries == [DataSourceEntry(key: "a", value: first), DataSourceEntry(key: "b", value: second)],
                "the entries should be a and b, but are \(entries)"
            )
        case .behavior102ChangesAreReported: try await changes()
        }
    }

    private func updates() async throws {
        let (source, values) = (source, values)
        let created = try await source.update(IdQuery("n")) { $0 = values[0] }.value
        try require(created == values[0], "update must return the changed value")
        // Each update advances the value to the next one, so a lost update leaves another value at the end.
        let times = values.count * 8
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<times {
                group.addTask {
                    _ = try await source.update(IdQuery("n")) { value in
                        let index = value.flatMap { values.firstIndex(of: $0) } ?? 0
                        value = values[(index + 1) % values.count]
                    }.value
                }
            }
            try await group.waitForAll()
        }
        try require(try await source.get(IdQuery("n")).value == values[0], "an update was lost")
        try await requireFailure(Refusal.self) {
            try await source.update(IdQuery("n")) { value in
                value = values[1]
                throw Refusal()
            }.value
        }
        try require(try await source.get(IdQuery("n")).value == values[0], "a failed update must not change the value")
        try require(try await source.update(IdQuery("n")) { $0 = nil }.value == nil, "update to nil must return nil")
        try await requireFailure(CoreError.NotFound.self) { try await source.get(IdQuery("n")).value }
    }

    private func changes() async throws {
        var one = try source.changes(for: IdQuery("a")).makeAsyncIterator()
        var all = try source.changes(for: AllObjectsQuery()).makeAsyncIterator()
        _ = try await source.put(values[0], in: IdQuery("a")).value
        _ = try await source.putAll(values, in: IdQuery("b")).value
        try await source.delete(IdQuery("a")).value
        for expected in [DataSourceChange.value(values[0], key: "a"), .gone(key: "a")] {
            let change = await one.next()
            try require(change == expected, "the change should be \(expected), but is \(String(describing: change))")
        }
        for expected in [DataSourceChange.value(values[0], key: "a"), .list(values, key: "b"), .gone(key: "a")] {
            let change = await all.next()
            try require(change == expected, "the change should be \(expected), but is \(String(describing: change))")
        }
    }

    private struct Refusal: Error {}

    private func everything() async throws {
        _ = try await source.put(values[0], in: IdQuery("a")).value
        _ = try await source.putAll(Array(values[1...]), in: IdQuery("b")).value
        let all = try await source.getAll(AllObjectsQuery()).value
        try require(all == values, "all objects should be \(values), but are \(all)")
        try await source.delete(AllObjectsQuery()).value
        try await requireFailure(CoreError.NotFound.self) { try await source.get(IdQuery("a")).value }
        try await requireFailure(CoreError.NotFound.self) { try await source.getAll(IdQuery("b")).value }
        try require(try await source.getAll(AllObjectsQuery()).value.isEmpty, "delete must remove all values")
        try await source.delete(AllObjectsQuery()).value
    }

    private func unknownQueries() async throws {
        let nothing = VoidQuery()
        try await requireFailure(CoreError.QueryNotSupported.self) { try await source.get(nothing).value }
        try await requireFailure(CoreError.QueryNotSupported.self) { try await source.getAll(nothing).value }
        try await requireFailure(CoreError.QueryNotSupported.self) {
            try await source.put(values[0], in: nothing).value
        }
        try await requireFailure(CoreError.QueryNotSupported.self) {
            try await source.putAll(values, in: nothing).value
        }
        try await requireFailure(CoreError.QueryNotSupported.self) { try await source.delete(nothing).value }
    }

    /// Throws a contract violation unless `body` fails with `CoreError.NotFound` and a reason other than `absent`.
    private func requireOtherShape<Value>(_ body: () async throws -> Value) async throws {
        do { _ = try await body() } catch let error as CoreError.NotFound {
            return try require(error.reason != .absent, "a value of the other kind must not be reported as absent")
        }
        try require(false, "a key should hold a value or a list, not both")
    }
}
