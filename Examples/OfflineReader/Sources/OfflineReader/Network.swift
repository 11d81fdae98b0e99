import Foundation
import Larder

/// Why the network gave no answer.
public struct NetworkUnreachable: Error, CustomStringConvertible {
    /// The error.
    public init() {}
    /// One sentence.
    public var description: String { "The network can't be reached." }
}

/// A server on the other side of a slow network: a folder of files that answers late, and not at all while it is offline.
public struct Network: GetDataSource, PutDataSource, DeleteDataSource {
    private let server: SerializationDataSourceMapper<Article>
    private let offlineFlag: String
    private let delay: Duration
    private let time: any TimeSource

    /// The network whose server keeps its files in a folder.
    public init(folder: String, delay: Duration, time: any TimeSource = .system) {
        server = FileSystemStorageDataSource(folder: folder + "/articles", naming: .reversible).codable(Article.self)
        offlineFlag = folder + "/offline"
        self.delay = delay
        self.time = time
    }

    /// Whether it can be reached.
    public var isOnline: Bool { !FileManager.default.fileExists(atPath: offlineFlag) }

    /// Makes it reachable or not, for every process.
    public func setOnline(_ isOnline: Bool) throws {
        if isOnline {
            try? FileManager.default.removeItem(atPath: offlineFlag)
        } else {
            try Data().write(to: URL(filePath: offlineFlag))
        }
    }

    /// What the server has, without the network between.
    public func onServer(_ id: String) throws -> Article { try server.get(id).get() }
    /// Puts an article there, without the network between.
    public func putOnServer(_ article: Article) throws { try server.put(article, forId: article.id).get() }

    /// Reads an article, late.
    public func get(_ query: any KeyQuery) -> Future<Article> { late { server.get(query) } }
    /// Reads a list of articles, late.
    public func getAll(_ query: any KeyQuery) -> Future<[Article]> { late { server.getAll(query) } }
    /// Writes an article, late.
    public func put(_ value: Article?, in query: any KeyQuery) -> Future<Article> {
        late { server.put(value, in: query) }
    }
    /// Writes a list of articles, late.
    public func putAll(_ values: [Article], in query: any KeyQuery) -> Future<[Article]> {
        late { server.putAll(values, in: query) }
    }
    /// Deletes articles, late.
    public func delete(_ query: any StorageQuery) -> Future<Void> { late { server.delete(query) } }

    private func late<Value>(_ answer: @escaping @Sendable () -> Future<Value>) -> Future<Value> {
        Future(async: {
            try await time.sleep(for: delay)
            guard isOnline else { throw NetworkUnreachable() }
            return try await answer().value
        })
    }
}
