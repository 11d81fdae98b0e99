public import LarderCore

// The query type of a type-erased source is known only at run time. A type comparison, used for the two common query types, takes a
// nanosecond; a dynamic cast takes a hundred.

/// Casts a query to the type that a source accepts and passes the result to `body`.
///
/// If the cast fails, the returned future fails with `CoreError.QueryNotSupported`.
@inlinable
func narrowed<Narrow, Result>(
    _ query: any KeyQuery,
    for source: Any.Type,
    _ body: (Narrow) -> Future<Result>
) -> Future<Result> {
    // Sound: both types are the same. The cast avoids opening the existential.
    if Narrow.self == (any KeyQuery).self { return body(unsafeBitCast(query as any KeyQuery, to: Narrow.self)) }
    return narrowed(query as any Query, for: source, body)
}

/// Casts a query to the type that a source accepts and passes the result to `body`.
///
/// If the cast fails, the returned future fails with `CoreError.QueryNotSupported`.
@inlinable
func narrowed<Narrow, Result>(
    _ query: any StoreQuery,
    for source: Any.Type,
    _ body: (Narrow) -> Future<Result>
) -> Future<Result> {
    // Sound: both types are the same. The cast avoids opening the existential.
    if Narrow.self == (any StoreQuery).self { return body(unsafeBitCast(query as any StoreQuery, to: Narrow.self)) }
    return narrowed(query as any Query, for: source, body)
}

/// Casts a query to the type that a source accepts and passes the result to `body`.
///
/// If the cast fails, the returned future fails with `CoreError.QueryNotSupported`.
@usableFromInline
func narrowed<Query, Narrow, Result>(
    _ query: Query,
    for source: Any.Type,
    _ body: (Narrow) -> Future<Result>
) -> Future<Result> {
    guard let narrow = query as? Narrow else {
        return Future(
            error: CoreError.QueryNotSupported(
                "\(source) does not support \(type(of: query)). Use a query of type \(Narrow.self)."
            )
        )
    }
    return body(narrow)
}
