public import LarderCore

// What a source takes is known when it is wrapped, though not to the compiler: the two types that nearly all sources take are
// compared, which takes a nanosecond, where a cast would take a hundred.

/// Calls `body` with the query as the type a source takes, or fails.
@inlinable
func narrowed<Narrow, Result>(
    _ query: any KeyQuery,
    for source: Any.Type,
    _ body: (Narrow) -> Future<Result>
) -> Future<Result> {
    // Sound: both types are the same. The cast keeps the existential from being opened.
    if Narrow.self == (any KeyQuery).self { return body(unsafeBitCast(query as any KeyQuery, to: Narrow.self)) }
    return narrowed(query as any Query, for: source, body)
}

/// Calls `body` with the query as the type a source takes, or fails.
@inlinable
func narrowed<Narrow, Result>(
    _ query: any StorageQuery,
    for source: Any.Type,
    _ body: (Narrow) -> Future<Result>
) -> Future<Result> {
    // Sound: both types are the same. The cast keeps the existential from being opened.
    if Narrow.self == (any StorageQuery).self { return body(unsafeBitCast(query as any StorageQuery, to: Narrow.self)) }
    return narrowed(query as any Query, for: source, body)
}

/// Calls `body` with the query as the type a source takes, or fails.
@usableFromInline
func narrowed<Query, Narrow, Result>(
    _ query: Query,
    for source: Any.Type,
    _ body: (Narrow) -> Future<Result>
) -> Future<Result> {
    guard let narrow = query as? Narrow else {
        return Future(error: CoreError.QueryNotSupported("\(source) does not take a \(type(of: query))."))
    }
    return body(narrow)
}
