import Foundation
import Larder

/// An error which states that a call failed because the network is offline.
public struct NetworkUnreachable: Error, CustomStringConvertible {
    /// Creates an error for a call that failed.
    public init() {}
    /// A message that describes the error in one sentence.
    public var description: String { "The network can't be reached. Go online and try again." }
}

/// A simulated server on a slow network, which stores articles as files in a folder.
///
/// Calls return after a delay. While the network is offline, they fail with ``NetworkUnreachable``.
public struct Network: GetDataSource, PutDataSource, DeleteDataSource {
    private let server: SerializationDataSourceMapper<Article>
    private let offlineFlag: String
    private let delay: Duration
    private let time: any TimeSource

    /// Creates a network whose server stores its files in `folder`.
    public init(folder: String, delay: Duration, time: any TimeSource = .system) {
        server = FileSystemStorageDataSource(folder: folder + "/articles", naming: .reversible).codable(Article.self)
        offlineFlag = folder + "/offline"
        self.delay = delay
        self.time = time
    }

    /// Whether the simulated network is online.
    public var isOnline: Bool { !FileManager.default.fileExists(atPath: offlineFlag) }

    /// Makes the simulated network online or offline for all processes.
    public func setOnline(_ isOnline: Bool) throws {
        if isOnline {
            try? FileManager.default.removeItem(atPath: offlineFlag)
        } else {
            try Data().write(to: URL(filePath: offlineFlag))
        }
    }

    /// Returns an article from the server without using the simulated network.
    public func onServer(_ id: String) throws -> Article { try server.get(id).get() }
    /// Stores an article on the server without using the simulated network.
    public func putOnServer(_ article: Article) throws { try server.put(article, forId: article.id).get() }

    /// Reads an article from the server after the delay.
    public func get(_ query: any KeyQuery) -> Future<Article> { late { server.get(query) } }
    /// Reads a list of articles from the server after the delay.
    public func getAll(_ query: any KeyQuery) -> Future<[Article]> { late { server.getAll(query) } }
    /// Writes an article to the server after the delay.
    public func put(_ value: Article?, in query: any KeyQuery) -> Future<Article> {
        late { server.put(value, in: query) }
    }
    /// Writes a list of articles to the server after the delay.
    public func putAll(_ values: [Article], in query: any KeyQuery) -> Future<[Article]> {
        late { server.putAll(values, in: query) }
    }
    /// Deletes articles from the server after the delay.
    public func delete(_ query: any StoreQuery) -> Future<Void> { late { server.delete(query) } }

    private func late<Value>(_ answer: @escaping @Sendable () -> Future<Value>) -> Future<Value> {
        Future(async: {
            try await time.sleep(for: delay)
            guard isOnline else { throw NetworkUnreachable() }
            return try await answer().value
        })
    }
}
