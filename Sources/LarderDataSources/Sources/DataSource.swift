/// What all data sources are: things that read, write or delete values by a query, answering with a ``Future``.
///
/// Adopt ``GetDataSource``, ``PutDataSource`` and ``DeleteDataSource`` as far as the source goes. Each verb has a query type of
/// its own: a source that declares `func get(_ query: any KeyQuery)` takes key queries, and any other query does not compile.
public protocol DataSource: Sendable {}
