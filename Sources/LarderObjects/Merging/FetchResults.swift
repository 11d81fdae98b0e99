#if Objects
internal import Foundation

/// An asynchronous sequence that produces the results of a fetch each time the results change.
///
/// Each iterator starts with the current results. Saves during a slow iteration are coalesced into one element, and saves that don't change
/// the results are ignored. The sequence ends when the manager is closed or when reading throws an error.
public struct FetchResults<Value: Sendable & Equatable>: AsyncSequence, Sendable {
    /// The complete results of the fetch at one point in time.
    public typealias Element = [Value]
    /// The type of the errors that reading the database throws.
    public typealias Failure = any Error

    let updates: ValuesUpdates<Value>

    /// An iterator over the successive results of a fetch.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var updates: ValuesUpdates<Value>.AsyncIterator
        private var last: [Value]?

        init(_ updates: ValuesUpdates<Value>) { self.updates = updates.makeAsyncIterator() }

        /// Returns the next results.
        ///
        /// The first call returns the current results. Later calls wait for a save that changes the results.
        ///
        /// - Returns: The results, or `nil` if the manager was closed.
        /// - Throws: Any error that occurs while reading the results.
        public mutating func next() async throws -> [Value]? {
            while let update = try await updates.next() {
                let values = update.snapshot.values
                // Objects with equal values may have changed places.
                guard values != last else { continue }
                last = values
                return values
            }
            return nil
        }
    }

    /// Creates an iterator whose first element is the current results.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(updates) }
}

extension SQLiteStorageManager {
    /// Returns an asynchronous sequence of the results of a fetch, starting with the current results.
    ///
    /// The values are read on a background thread each time the view has merged a save. Each read uses one snapshot of the database, and
    /// reads only what may have changed. It may contain parts of a later save, whose other changes follow with the next element.
    ///
    /// - Parameters:
    ///   - request: The filter, the sort order and the limits.
    ///   - transform: A closure that maps an object to a value. Changes to related objects that the closure reads are also observed.
    /// - Returns: An asynchronous sequence of results.
    public func results<T: Object, Value: Sendable & Equatable>(
        _ request: ObjectRequest<T>,
        _ transform: @escaping @Sendable (T) throws -> Value
    ) -> FetchResults<Value> {
        FetchResults(updates: results(request, sectionBy: nil, transform))
    }
}
#endif
