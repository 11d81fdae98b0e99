import LarderCore

/// What one key of a storage holds: a single value or a list.
enum Held<T: Sendable>: Sendable {
    case value(T)
    case list([T])
}

extension Held: Equatable where T: Equatable {}

extension Array {
    /// Every value, and every element of every list.
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
    /// The single value that a key holds, or `CoreError.NotFound`.
    func value<T>(of key: String) throws -> T where Wrapped == Held<T> {
        guard case .value(let value)? = self else {
            throw CoreError.NotFound.shape(T.self, key: key, isThere: self != nil)
        }
        return value
    }

    /// The list that a key holds, or `CoreError.NotFound`.
    func list<T>(of key: String) throws -> [T] where Wrapped == Held<T> {
        guard case .list(let list)? = self else {
            throw CoreError.NotFound.shape([T].self, key: key, isThere: self != nil)
        }
        return list
    }
}

extension StorageSelection {
    /// The list that is meant, of a storage that has these.
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

    /// What each key holds once a list was put here.
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
    /// What a reader is told when a key holds something else.
    init(_ held: Held<T>?, key: String) {
        switch held {
        case .value(let value): self = .value(value, key: key)
        case .list(let list): self = .list(list, key: key)
        case nil: self = .gone(key: key)
        }
    }
}
