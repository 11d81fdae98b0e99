/// A data source that reads, writes or deletes values by a query and returns its results as ``Future``s.
///
/// Conform to ``GetDataSource``, ``PutDataSource`` and ``DeleteDataSource``, depending on what the source supports. Each method has its own
/// query type. For example, a source that declares `func get(_ query: any KeyQuery)` accepts key queries, and other queries do not compile.
public protocol DataSource: Sendable {}
