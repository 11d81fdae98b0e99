import Larder

/// The data layer of the app.
///
/// It caches articles on the device, and stores notes there until they are sent.
public struct Reader: Sendable {
    private typealias Cache = ExpiringDataSource<SerializationDataSourceMapper<Article>>

    private let repository: CacheRepository<OutboxDataSource<Article>, Cache>
    private let outbox: OutboxDataSource<Article>

    /// Creates a data layer that reads articles from `network` and keeps all data in `store`.
    ///
    /// - Parameters:
    ///   - network: The main source, which holds the articles.
    ///   - store: The store for cached articles, their ages and unsent notes.
    ///   - freshness: The duration for which a cached article is used without calling the network.
    ///   - time: The time source that measures the ages of articles.
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

    /// Reads an article from the device while it is fresh, otherwise from the network.
    ///
    /// If the network is offline, returns the article on the device even if it is no longer fresh.
    public func article(_ id: String) async throws -> Stored<Article> {
        try await repository.getStored(
            KeyQuery(id),
            operation: .cacheSync { $0.mainError is NetworkUnreachable }
        ).value
    }

    /// Sets the note on an article, whether the network is online or offline.
    public func annotate(_ id: String, _ note: String) async throws {
        var article = try await article(id).value
        article.note = note
        // The note is written to the device first, so that it can be read at once.
        _ = try await repository.put(article, in: KeyQuery(id), operation: .cacheSync).value
    }

    /// Returns the notes that have not been sent to the server yet.
    public func waiting() throws -> [OutboxEntry] { try outbox.pending() }

    /// Sends all waiting notes to the server.
    public func synchronize() async throws { try await outbox.replay().value }
}
