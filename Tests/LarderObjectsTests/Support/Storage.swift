#if Objects
import Dispatch
import Foundation
import LarderCore
import LarderObjects
import Testing

/// Where a test keeps its database: the same contract holds for both.
enum Place: CaseIterable {
    case file, memory
}

/// A manager whose view merges on a queue of its own, so that tests run beside each other.
///
/// When `body` has ended, everything the database holds is verified.
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

/// A folder that is gone afterwards.
func withTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("larder-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}

/// An error for closures to throw.
struct Refusal: Error, Equatable {}

/// A value that closures on several threads change.
final class Box<Value: Sendable>: @unchecked Sendable {
    // Sendable: the lock lets one in at a time.
    private let lock = NSLock()
    private var stored: Value
    init(_ value: Value) { stored = value }
    var value: Value {
        get { lock.withLock { stored } }
        set { lock.withLock { stored = newValue } }
    }

    /// Changes the value, and returns what `body` returns.
    @discardableResult
    func update<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&stored) } }
}
#endif
