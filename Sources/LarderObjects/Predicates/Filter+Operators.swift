#if Objects
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
        try translator.equality(try translator.keyPath(keyPath, of: source), .constant(value))
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
        .not(try translator.equality(try translator.keyPath(keyPath, of: source), .constant(value)))
    }
}

private func ordered<T: Object, Value: Comparable & Sendable>(
    _ keyPath: any KeyPath<T, Value> & Sendable,
    _ order: SQLCondition.Order,
    _ value: Value,
    _ compare: @escaping @Sendable (Value, Value) -> Bool
) -> Filter<T> {
    Filter(matches: { compare($0[keyPath: keyPath], value) }) { translator, source in
        try translator.comparison(try translator.keyPath(keyPath, of: source), order, .constant(value))
    }
}

private func ordered<T: Object, Value: Comparable & Sendable>(
    _ keyPath: any KeyPath<T, Value?> & Sendable,
    _ order: SQLCondition.Order,
    _ value: Value,
    _ compare: @escaping @Sendable (Value, Value) -> Bool
) -> Filter<T> {
    Filter(matches: { $0[keyPath: keyPath].map { compare($0, value) } ?? false }) { translator, source in
        try translator.comparison(try translator.keyPath(keyPath, of: source), order, .constant(value))
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
    ordered(keyPath, .less, value, { $0 < $1 })
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
    ordered(keyPath, .lessOrEqual, value, { $0 <= $1 })
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
    ordered(keyPath, .greater, value, { $0 > $1 })
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
    ordered(keyPath, .greaterOrEqual, value, { $0 >= $1 })
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
    ordered(keyPath, .less, value, { $0 < $1 })
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
    ordered(keyPath, .lessOrEqual, value, { $0 <= $1 })
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
    ordered(keyPath, .greater, value, { $0 > $1 })
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
    ordered(keyPath, .greaterOrEqual, value, { $0 >= $1 })
}
#endif
