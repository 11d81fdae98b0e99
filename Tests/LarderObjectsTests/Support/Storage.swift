#if Objects
import Dispatch
import Foundation
import LarderCore
import LarderObjects
import Testing

/// The location of a test's database, in memory or in a file.
///
/// Databases in both locations behave in the same way.
enum Place: CaseIterable {
    case file, memory
}

/// Runs `body` with a manager whose view merges on a queue of its own, so that tests can run in parallel.
///
/// The database is verified afterward.
func withStorage<Result>(
    _ place: Place = .memory,
    model: ObjectModel = Shop.model,
    _ body: (SQLiteStorageManager) async throws -> Result
) async throws -> Result {
    try await withTemporaryFolder { folder in
        let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        let manager =
            switch place {
            case .file:
                try SQLiteStorageManager(model: model, name: "shop", in: folder, configuration: configuration)
            case .memory: try SQLiteStorageManager(inMemory: model, configuration: configuration)
            }
        let result = try await body(manager)
        #expect(try manager.verify().problems == [])
        try manager.close()
        return result
    }
}

/// Runs `body` with a temporary folder, which is removed afterward.
func withTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("larder-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}

/// An error for closures to throw.
struct Refusal: Error, Equatable {}

/// A value that several threads can change.
final class Box<Value: Sendable>: @unchecked Sendable {
    // The class is safe to send because the lock admits one thread at a time.
    private let lock = NSLock()
    private var stored: Value
    init(_ value: Value) { stored = value }
    var value: Value {
        get { lock.withLock { stored } }
        set { lock.withLock { stored = newValue } }
    }

    /// Calls `body` with exclusive access to the value, and returns the result.
    @discardableResult
    func update<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&stored) } }
}
#endif
