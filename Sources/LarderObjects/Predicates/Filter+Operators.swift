#if Objects
extension Filter {
    /// The objects of both.
    ///
    /// - Parameters:
    ///   - first: A filter.
    ///   - second: Another.
    /// - Returns: A filter.
    public static func && (first: Filter, second: Filter) -> Filter {
        Filter(matches: { try first.matches($0) && second.matches($0) }) { translator, source in
            "(\(try first.translate(&translator, source)) AND \(try second.translate(&translator, source)))"
        }
    }

    /// The objects of either.
    ///
    /// - Parameters:
    ///   - first: A filter.
    ///   - second: Another.
    /// - Returns: A filter.
    public static func || (first: Filter, second: Filter) -> Filter {
        Filter(matches: { try first.matches($0) || second.matches($0) }) { translator, source in
            "(\(try first.translate(&translator, source)) OR \(try second.translate(&translator, source)))"
        }
    }

    /// All other objects.
    ///
    /// - Parameter filter: A filter.
    /// - Returns: A filter.
    public static prefix func ! (filter: Filter) -> Filter {
        Filter(matches: { try !filter.matches($0) }) { translator, source in
            "(NOT coalesce(\(try filter.translate(&translator, source)), 0))"
        }
    }
}

/// The objects whose property has a value.
///
/// - Parameters:
///   - keyPath: The property, also through relationships to one.
///   - value: The value.
/// - Returns: A filter.
public func == <T: Object, Value: Equatable & Sendable>(
    keyPath: any KeyPath<T, Value> & Sendable,
    value: Value
) -> Filter<T> {
    Filter(matches: { $0[keyPath: keyPath] == value }) { translator, source in
        let property = try translator.keyPath(keyPath, of: source)
        return try translator.equality(property, .constant(value), negated: false)
    }
}

/// The objects whose property has another value, or none.
///
/// - Parameters:
///   - keyPath: The property, also through relationships to one.
///   - value: The value.
/// - Returns: A filter.
public func != <T: Object, Value: Equatable & Sendable>(
    keyPath: any KeyPath<T, Value> & Sendable,
    value: Value
) -> Filter<T> {
    Filter(matches: { $0[keyPath: keyPath] != value }) { translator, source in
        let property = try translator.keyPath(keyPath, of: source)
        return try translator.equality(property, .constant(value), negated: true)
    }
}

private func ordered<T: Object, Value: Comparable & Sendable>(
    _ keyPath: any KeyPath<T, Value> & Sendable,
    _ sign: String,
    _ value: Value,
    _ compare: @escaping @Sendable (Value, Value) -> Bool
) -> Filter<T> {
    Filter(matches: { compare($0[keyPath: keyPath], value) }) { translator, source in
        let property = try translator.keyPath(keyPath, of: source)
        return try translator.comparison(property, sign, .constant(value))
    }
}

private func ordered<T: Object, Value: Comparable & Sendable>(
    _ keyPath: any KeyPath<T, Value?> & Sendable,
    _ sign: String,
    _ value: Value,
    _ compare: @escaping @Sendable (Value, Value) -> Bool
) -> Filter<T> {
    Filter(matches: { $0[keyPath: keyPath].map { compare($0, value) } ?? false }) { translator, source in
        let property = try translator.keyPath(keyPath, of: source)
        return "coalesce(\(try translator.comparison(property, sign, .constant(value))), 0)"
    }
}

/// The objects whose property is less than a value.
///
/// - Parameters:
///   - keyPath: The property.
///   - value: The value.
/// - Returns: A filter.
public func < <T: Object, Value: Comparable & Sendable>(
    keyPath: any KeyPath<T, Value> & Sendable,
    value: Value
) -> Filter<T> {
    ordered(keyPath, "<", value, { $0 < $1 })
}

/// The objects whose property is less than a value, or equal.
///
/// - Parameters:
///   - keyPath: The property.
///   - value: The value.
/// - Returns: A filter.
public func <= <T: Object, Value: Comparable & Sendable>(
    keyPath: any KeyPath<T, Value> & Sendable,
    value: Value
) -> Filter<T> {
    ordered(keyPath, "<=", value, { $0 <= $1 })
}

/// The objects whose property is greater than a value.
///
/// - Parameters:
///   - keyPath: The property.
///   - value: The value.
/// - Returns: A filter.
public func > <T: Object, Value: Comparable & Sendable>(
    keyPath: any KeyPath<T, Value> & Sendable,
    value: Value
) -> Filter<T> {
    ordered(keyPath, ">", value, { $0 > $1 })
}

/// The objects whose property is greater than a value, or equal.
///
/// - Parameters:
///   - keyPath: The property.
///   - value: The value.
/// - Returns: A filter.
public func >= <T: Object, Value: Comparable & Sendable>(
    keyPath: any KeyPath<T, Value> & Sendable,
    value: Value
) -> Filter<T> {
    ordered(keyPath, ">=", value, { $0 >= $1 })
}

/// The objects whose property has a value, and the value is less than another.
///
/// - Parameters:
///   - keyPath: The property.
///   - value: The other value.
/// - Returns: A filter.
public func < <T: Object, Value: Comparable & Sendable>(
    keyPath: any KeyPath<T, Value?> & Sendable,
    value: Value
) -> Filter<T> {
    ordered(keyPath, "<", value, { $0 < $1 })
}

/// The objects whose property has a value, and the value is less than another, or equal.
///
/// - Parameters:
///   - keyPath: The property.
///   - value: The other value.
/// - Returns: A filter.
public func <= <T: Object, Value: Comparable & Sendable>(
    keyPath: any KeyPath<T, Value?> & Sendable,
    value: Value
) -> Filter<T> {
    ordered(keyPath, "<=", value, { $0 <= $1 })
}

/// The objects whose property has a value, and the value is greater than another.
///
/// - Parameters:
///   - keyPath: The property.
///   - value: The other value.
/// - Returns: A filter.
public func > <T: Object, Value: Comparable & Sendable>(
    keyPath: any KeyPath<T, Value?> & Sendable,
    value: Value
) -> Filter<T> {
    ordered(keyPath, ">", value, { $0 > $1 })
}

/// The objects whose property has a value, and the value is greater than another, or equal.
///
/// - Parameters:
///   - keyPath: The property.
///   - value: The other value.
/// - Returns: A filter.
public func >= <T: Object, Value: Comparable & Sendable>(
    keyPath: any KeyPath<T, Value?> & Sendable,
    value: Value
) -> Filter<T> {
    ordered(keyPath, ">=", value, { $0 >= $1 })
}
#endif
