import LarderCore

/// The optional methods of a type-erased source: `update`, `entries` and `changes`.
///
/// The conformances of the source are checked only once, by the initializer.
@usableFromInline
struct SourceAbilities<T: Sendable>: Sendable {
    typealias Change = @Sendable (inout T?) throws -> Void

    let update: @Sendable (any Query, @escaping Change) -> Future<T?>
    let entries: @Sendable () -> Future<[DataSourceEntry<T>]>
    let changes: @Sendable (any StoreQuery) throws -> DataSourceChanges<T>
    let origin: StoredOrigin

    init(_ source: any DataSource) {
        let name = "\(type(of: source))"
        origin = .of(source)
        @Sendable func missing(_ verb: String) -> CoreError.NotImplemented {
            CoreError.NotImplemented("\(name) does not support `\(verb)`. Use a source that implements this method.")
        }
        if let source = source as? any UpdateDataSource<T> {
            update = Self.update(of: source)
        } else {
            update = { _, _ in Future(error: missing("update")) }
        }
        if let source = source as? any EntriesDataSource<T> {
            entries = { source.entries() }
        } else {
            entries = { Future(error: missing("entries")) }
        }
        if let source = source as? any ObservableDataSource<T> {
            changes = { try source.changes(for: $0) }
        } else {
            changes = { _ in throw missing("changes") }
        }
    }

    private static func update<Source: UpdateDataSource<T>>(
        of source: Source
    ) -> @Sendable (any Query, @escaping Change) -> Future<T?> {
        { query, change in narrowed(query, for: Source.self) { source.update($0, change) } }
    }
}

extension SourceAbilities {
    /// Wraps the source's optional methods so that they use values of type `Out`, which the two mappers convert.
    func mapped<Out: Sendable>(
        in toIn: any Mapper<Out, T>,
        out toOut: any Mapper<T, Out>,
        changes mappedChanges: @escaping @Sendable (DataSourceChanges<T>) -> DataSourceChanges<Out>
    ) -> SourceAbilities<Out> {
        SourceAbilities<Out>(
            update: { [update] query, change in
                update(query) { inner in
                    var value = try inner.map { try toOut.map($0) }
                    try change(&value)
                    inner = try value.map { try toIn.map($0) }
                }.map { value in try value.map { try toOut.map($0) } }
            },
            entries: { [entries] in
                entries().map { entries in
                    try entries.map { DataSourceEntry(key: $0.key, value: try toOut.map($0.value)) }
                }
            },
            changes: { [changes] query in mappedChanges(try changes(query)) },
            origin: origin
        )
    }

    private init(
        update: @escaping @Sendable (any Query, @escaping Change) -> Future<T?>,
        entries: @escaping @Sendable () -> Future<[DataSourceEntry<T>]>,
        changes: @escaping @Sendable (any StoreQuery) throws -> DataSourceChanges<T>,
        origin: StoredOrigin
    ) {
        self.update = update
        self.entries = entries
        self.changes = changes
        self.origin = origin
    }
}
