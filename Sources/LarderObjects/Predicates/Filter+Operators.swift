#if Objects
/// Returns a filter that matches objects whose property equals a value.
///
/// - Parameters:
///   - keyPath: The key path of the property, which may follow to-one relationships.
///   - value: The value to compare with.
/// - Returns: The filter.
public func == <T: Object, Value: Equatable & Sendable>(
    keyPath: any KeyPath<T, Value> & Sendable,
    value: Value
) -> Filter<T> {
    Filter(matches: { $0[keyPath: keyPath] == value }) { translator, source in
        try translator.equality(try translator.keyPath(keyPath, of: source), .constant(value))
    }
}

/// Returns a filter that matches objects whose property does not equal a value.
///
/// An object whose property is `nil` also matches.
///
/// - Parameters:
///   - keyPath: The key path of the property, which may follow to-one relationships.
///   - value: The value to compare with.
/// - Returns: The filter.
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

/// Returns a filter that matches objects whose property is less than a value.
///
/// - Parameters:
///   - keyPath: The key path of the property.
///   - value: The value to compare with.
/// - Returns: The filter.
public func < <T: Object, Value: Comparable & Sendable>(
    keyPath: any KeyPath<T, Value> & Sendable,
    value: Value
) -> Filter<T> {
    ordered(keyPath, .less, value, { $0 < $1 })
}

/// Returns a filter that matches objects whose property is less than or equal to a value.
///
/// - Parameters:
///   - keyPath: The key path of the property.
///   - value: The value to compare with.
/// - Returns: The filter.
public func <= <T: Object, Value: Comparable & Sendable>(
    keyPath: any KeyPath<T, Value> & Sendable,
    value: Value
) -> Filter<T> {
    ordered(keyPath, .lessOrEqual, value, { $0 <= $1 })
}

/// Returns a filter that matches objects whose property is greater than a value.
///
/// - Parameters:
///   - keyPath: The key path of the property.
///   - value: The value to compare with.
/// - Returns: The filter.
public func > <T: Object, Value: Comparable & Sendable>(
    keyPath: any KeyPath<T, Value> & Sendable,
    value: Value
) -> Filter<T> {
    ordered(keyPath, .greater, value, { $0 > $1 })
}

/// Returns a filter that matches objects whose property is greater than or equal to a value.
///
/// - Parameters:
///   - keyPath: The key path of the property.
///   - value: The value to compare with.
/// - Returns: The filter.
public func >= <T: Object, Value: Comparable & Sendable>(
    keyPath: any KeyPath<T, Value> & Sendable,
    value: Value
) -> Filter<T> {
    ordered(keyPath, .greaterOrEqual, value, { $0 >= $1 })
}

/// Returns a filter that matches objects whose optional property is not `nil` and is less than a value.
///
/// - Parameters:
///   - keyPath: The key path of the property.
///   - value: The value to compare with.
/// - Returns: The filter.
public func < <T: Object, Value: Comparable & Sendable>(
    keyPath: any KeyPath<T, Value?> & Sendable,
    value: Value
) -> Filter<T> {
    ordered(keyPath, .less, value, { $0 < $1 })
}

/// Returns a filter that matches objects whose optional property is not `nil` and is less than or equal to a value.
///
/// - Parameters:
///   - keyPath: The key path of the property.
///   - value: The value to compare with.
/// - Returns: The filter.
public func <= <T: Object, Value: Comparable & Sendable>(
    keyPath: any KeyPath<T, Value?> & Sendable,
    value: Value
) -> Filter<T> {
    ordered(keyPath, .lessOrEqual, value, { $0 <= $1 })
}

/// Returns a filter that matches objects whose optional property is not `nil` and is greater than a value.
///
/// - Parameters:
///   - keyPath: The key path of the property.
///   - value: The value to compare with.
/// - Returns: The filter.
public func > <T: Object, Value: Comparable & Sendable>(
    keyPath: any KeyPath<T, Value?> & Sendable,
    value: Value
) -> Filter<T> {
    ordered(keyPath, .greater, value, { $0 > $1 })
}

/// Returns a filter that matches objects whose optional property is not `nil` and is greater than or equal to a value.
///
/// - Parameters:
///   - keyPath: The key path of the property.
///   - value: The value to compare with.
/// - Returns: The filter.
public func >= <T: Object, Value: Comparable & Sendable>(
    keyPath: any KeyPath<T, Value?> & Sendable,
    value: Value
) -> Filter<T> {
    ordered(keyPath, .greaterOrEqual, value, { $0 >= $1 })
}
#endif
