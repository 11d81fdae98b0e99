#if Objects
internal import Dispatch
internal import Foundation
public import LarderObjects

/// SQL and memory disagree about which objects a predicate means.
public struct PredicateDisagreement: Error, CustomStringConvertible {
    /// What was asked, and the seed that makes it again.
    public let question: String
    /// The ids that evaluating in memory gives.
    public let expected: [ObjectID]
    /// The ids that SQL gives.
    public let found: [ObjectID]

    /// All of it, a line each.
    public var description: String { "\(question)\nin memory: \(expected)\nin SQL:    \(found)" }
}

/// Compares what predicates mean in SQL with what they mean in memory: random data and random predicates of any model.
///
/// The same seed makes the same data and the same predicates.
public struct PredicateOracle: Sendable {
    private let types: [any Object.Type]
    private let seed: UInt64
    private let objects: Int

    /// An oracle.
    ///
    /// - Parameters:
    ///   - types: The classes of the model.
    ///   - seed: What the random choices begin with.
    ///   - objects: How many objects of each class there are.
    public init(_ types: [any Object.Type], seed: UInt64 = 1, objects: Int = 12) {
        self.types = types
        self.seed = seed
        self.objects = objects
    }

    /// Asks questions of a database of its own that is gone afterwards, half of them over changes that are not saved.
    ///
    /// - Parameter cases: How many.
    /// - Returns: How many of the answers were neither empty nor everything.
    /// - Throws: ``PredicateDisagreement`` for the first question with two answers, or what the database throws.
    @discardableResult
    public func check(cases: Int) async throws -> Int {
        let manager = try SQLiteStorageManager(
            inMemory: ObjectModel(types),
            configuration: .init(viewQueue: DispatchQueue(label: "larder.oracle"))
        )
        // It is in memory, and what it found is known by then.
        defer { try? manager.close() }
        let (types, seed, objects) = (types, seed, objects)
        try await manager.performAndSave { storage in
            try storage.withoutCountingQueries {
                var random = RandomObjects(seed: seed)
                try random.fill(storage, types, count: objects)
            }
        }
        return try await manager.performAndSave { storage in
            var (decisive, random) = (0, RandomObjects(seed: seed &+ 1))
            for number in 0..<cases {
                if number == cases / 2 { try storage.withoutCountingQueries { try random.change(storage, types) } }
                let type = types[random.number(below: types.count)]
                let question = "seed \(seed), case \(number), of \(type.entityName)"
                if try Self.ask(type, seed &* 1_000_003 &+ UInt64(number), storage, question) { decisive += 1 }
            }
            // Nothing that was made up for the second half is worth keeping.
            return decisive
        }
    }

    private static func ask<T: Object>(
        _ type: T.Type,
        _ seed: UInt64,
        _ storage: any StorageType,
        _ question: String
    ) throws -> Bool {
        var random = RandomPredicate(seed: seed)
        return try check(random.filter(of: type), in: storage, question + ": \(random.words.joined(separator: " "))")
    }

    /// Compares what a filter of your own means in SQL and in memory, over the objects that there are.
    ///
    /// - Parameters:
    ///   - filter: The filter.
    ///   - storage: Where the objects are.
    ///   - question: What to call it when the two disagree.
    /// - Returns: Whether it means some of the objects, but not all.
    /// - Throws: ``PredicateDisagreement``, or what the storage throws.
    @discardableResult
    public static func check<T: Object>(
        _ filter: Filter<T>,
        in storage: any StorageType,
        _ question: String = "a filter"
    ) throws -> Bool {
        // Each check asks the same questions, which are no fault of the caller's.
        try storage.withoutCountingQueries {
            let found = try storage.objects(ObjectRequest(filter)).map(\.objectID)
            let all = try storage.objects(ObjectRequest<T>())
            let expected = try all.filter { try filter.evaluate($0) }.map(\.objectID)
            let count = try storage.countObjects(ObjectRequest(filter))
            guard found == expected, count == expected.count else {
                throw PredicateDisagreement(question: "\(question), count \(count)", expected: expected, found: found)
            }
            return !found.isEmpty && found.count < all.count
        }
    }
}
#endif
