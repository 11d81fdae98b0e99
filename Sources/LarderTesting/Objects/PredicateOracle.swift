#if Objects
internal import Dispatch
internal import Foundation
public import LarderObjects

/// An error thrown when a predicate selects different objects in SQL than in memory.
public struct PredicateDisagreement: Error, CustomStringConvertible {
    /// A description of the predicate, including the seed to reproduce it.
    public let question: String
    /// The identifiers of the objects that the predicate selects when it is evaluated in memory.
    public let expected: [ObjectID]
    /// The identifiers of the objects that the predicate selects when it is evaluated in SQL.
    public let found: [ObjectID]

    /// The predicate and the two results, each on its own line.
    public var description: String { "\(question)\nin memory: \(expected)\nin SQL:    \(found)" }
}

/// A test oracle that compares the results of predicates in SQL with the results in memory.
///
/// The oracle creates random data and random predicates for any model. The same seed produces the same data and the same predicates.
public struct PredicateOracle: Sendable {
    private let types: [any Object.Type]
    private let seed: UInt64
    private let objects: Int

    /// Creates an oracle for the given classes.
    ///
    /// - Parameters:
    ///   - types: The classes in the model.
    ///   - seed: The seed for all random choices.
    ///   - objects: The number of objects to create for each class.
    public init(_ types: [any Object.Type], seed: UInt64 = 1, objects: Int = 12) {
        self.types = types
        self.seed = seed
        self.objects = objects
    }

    /// Checks that random predicates select the same objects in SQL as in memory.
    ///
    /// The objects are in a temporary database. Half of the predicates are evaluated with unsaved changes.
    ///
    /// - Parameter cases: The number of predicates.
    /// - Returns: The number of predicates that select some of the objects, but not all.
    /// - Throws: ``PredicateDisagreement`` for the first predicate with different results, or an error that the database reports.
    @discardableResult
    public func check(cases: Int) async throws -> Int {
        let manager = try SQLiteStorageManager(
            inMemory: ObjectModel(types),
            configuration: .init(viewQueue: DispatchQueue(label: "larder.oracle"))
        )
        // A failure to close does not matter, because the database is temporary and the results are known.
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
            // The changes that were made for the second half are not saved.
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

    /// Checks that a filter selects the same objects in SQL as in memory.
    ///
    /// - Parameters:
    ///   - filter: The filter to apply.
    ///   - storage: The storage that holds the objects.
    ///   - question: A description of the filter for the error, ``PredicateDisagreement``.
    /// - Returns: `true` if the filter selects some of the objects, but not all.
    /// - Throws: ``PredicateDisagreement``, or an error that the storage reports.
    @discardableResult
    public static func check<T: Object>(
        _ filter: Filter<T>,
        in storage: any StorageType,
        _ question: String = "a filter"
    ) throws -> Bool {
        // These queries are repeated by design, so they must not be reported to the caller.
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
