import Larder

/// The data layer of the app: what it reads is kept on the device, and what it writes is never lost.
public struct Reader: Sendable {
    private typealias Cache = ExpiringDataSource<SerializationDataSourceMapper<Article>>

    private let repository: CacheRepository<OutboxDataSource<Article>, Cache>
    private let outbox: OutboxDataSource<Article>

    /// A reader of what `network` has, which keeps everything in `store`.
    ///
    /// - Parameters:
    ///   - network: The main source.
    ///   - store: Holds the articles, their ages and what waits to be sent.
    ///   - freshness: How long an article is read from the device without asking.
    ///   - time: Says how late it is.
    public init(
        network: Network,
        store: any KeyValueStore,
        freshness: Duration = .seconds(600),
        time: any TimeSource = .system
    ) {
        outbox = OutboxDataSource(
            main: network,
            store: store,
            name: "articles",
            sending: .latestOfEachKey,
            time: time,
            isUnreachable: { $0 is NetworkUnreachable }
        )
        let cache = ExpiringDataSource(
            DeviceStorageDataSource<String>(store, storageType: .escapedPrefix("Article")).codable(Article.self),
            lifetime: CacheLifetime(fresh: freshness, missing: .seconds(30), jitter: 0.1),
            stamps: .stored(in: store, prefix: "Article-age"),
            time: time
        )
        repository = CacheRepository(main: outbox, cache: cache, time: time)
    }

    /// An article: from the device while it is fresh, else from the network, and without one whatever the device has.
    public func article(_ id: String) async throws -> Stored<Article> {
        try await repository.getStored(
            KeyQuery(id),
            operation: .cacheSync { $0.mainError is NetworkUnreachable }
        ).value
    }

    /// Writes a note into an article, with or without a network.
    public func annotate(_ id: String, _ note: String) async throws {
        var article = try await article(id).value
        article.note = note
        // The device first: what was written is what is read, at once.
        _ = try await repository.put(article, in: KeyQuery(id), operation: .cacheSync).value
    }

    /// What has not been sent yet.
    public func waiting() throws -> [OutboxEntry] { try outbox.pending() }

    /// Sends it.
    public func synchronize() async throws { try await outbox.replay().value }
}
