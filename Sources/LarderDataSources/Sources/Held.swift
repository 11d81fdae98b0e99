import LarderCore

/// The data stored under one key, either a single value or a list.
enum Held<T: Sendable>: Sendable {
    case value(T)
    case list([T])
}

extension Held: Equatable where T: Equatable {}

extension Array {
    /// Returns all single values and the elements of all lists in this array, in order.
    func elements<T>() -> [T] where Element == Held<T> {
        var elements: [T] = []
        elements.reserveCapacity(count)
        for held in self {
            switch held {
            case .value(let value): elements.append(value)
            case .list(let list): elements += list
            }
        }
        return elements
    }
}

extension Optional {
    /// Returns the single value, or throws `CoreError.NotFound` if `key` has no value or holds a list.
    func value<T>(of key: String) throws -> T where Wrapped == Held<T> {
        guard case .value(let value)? = self else {
            throw CoreError.NotFound.shape(T.self, key: key, isThere: self != nil)
        }
        return value
    }

    /// Returns the list, or throws `CoreError.NotFound` if `key` does not hold a list.
    func list<T>(of key: String) throws -> [T] where Wrapped == Held<T> {
        guard case .list(let list)? = self else {
            throw CoreError.NotFound.shape([T].self, key: key, isThere: self != nil)
        }
        return list
    }
}

extension StoreSelection {
    /// Reads the values of the selected keys and returns the values as one list.
    ///
    /// `key` selects the list under one key, `keys` selects one value for each key, and `all` selects all values and the elements of all
    /// lists.
    func list<T>(
        of held: ([String]) throws -> [Held<T>?],
        all: () throws -> [Held<T>]
    ) throws -> [T] {
        switch self {
        case .key(let key): try held([key])[0].list(of: key)
        case .keys(let keys): try zip(held(keys), keys).map { try $0.value(of: $1) }
        case .all: try all().elements()
        }
    }

    /// Returns each selected key with the value or list to store under the key when `values` are written.
    func holding<T>(_ values: [T]) throws -> [(key: String, held: Held<T>?)] {
        switch self {
        case .key(let key): return [(key, .list(values))]
        case .keys(let keys):
            guard keys.count == values.count else {
                throw CoreError.IllegalArgument.count(of: values.count, keys: keys.count)
            }
            return zip(keys, values).map { ($0, .value($1)) }
        case .all: throw CoreError.QueryNotSupported.putEverywhere
        }
    }
}

extension DataSourceChange {
    /// Creates a change that reports the new value or list of a key, or a deletion if `held` is `nil`.
    init(_ held: Held<T>?, key: String) {
        switch held {
        case .value(let value): self = .value(value, key: key)
        case .list(let list): self = .list(list, key: key)
        case nil: self = .gone(key: key)
        }
    }
}
