#if Objects
public import Foundation
internal import LarderCore
internal import Synchronization

/// An asynchronous operation that opens a database, and migrates it if necessary.
///
/// ```swift
/// let opening = SQLiteStorageManager.opening(model: model, url: url)
/// for await progress in opening.progress { bar.value = progress.fraction }
/// let manager = try await opening.manager
/// ```
public final class StorageOpening: Sendable {
    private struct State: Sendable {
        var result: Result<SQLiteStorageManager, any Error>?
        var waiting: [CheckedContinuation<SQLiteStorageManager, any Error>] = []
    }

    /// The progress of the migration.
    ///
    /// The stream buffers only the latest value, and ends when the database is open or opening has failed. If no migration is necessary,
    /// the stream is empty.
    public let progress: AsyncStream<MigrationProgress>

    private let state = Mutex(State())
    private let control: MigrationControl

    init(_ configuration: ObjectStorageConfiguration) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: MigrationProgress.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        progress = stream
        let report = configuration.migration.onProgress
        control = MigrationControl(
            { progress in
                report?(progress)
                continuation.yield(progress)
            },
            atEnd: { continuation.finish() }
        )
    }

    /// The manager of the opened database.
    ///
    /// Reading this property suspends until the database is open. Cancelling a suspended task has the same effect as ``cancel()``.
    ///
    /// - Throws: ``ObjectError`` if the model is invalid or the file can't be opened; `CancellationError` if the migration was cancelled.
    public var manager: SQLiteStorageManager {
        get async throws {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let result = state.withLock { state in
                        if state.result == nil { state.waiting.append(continuation) }
                        return state.result
                    }
                    if let result { continuation.resume(with: result) }
                }
            } onCancel: {
                cancel()
            }
        }
    }

    /// Cancels a running migration.
    ///
    /// The database remains unchanged, and ``manager`` throws `CancellationError`. The call has no effect if no migration is running or the
    /// commit has begun.
    public func cancel() { control.cancel() }

    var isCancelled: Bool { control.isCancelled }

    /// Opens the database on a separate thread.
    func start(_ open: @escaping @Sendable (MigrationControl) throws -> SQLiteStorageManager) {
        let handler = InheritedIssueHandler()
        Thread.detachNewThread { [self] in
            let result = handler.during { Result { try open(control) } }
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                state.result = result
                return state.waiting
            }
            control.end()
            for continuation in waiting { continuation.resume(with: result) }
        }
    }
}

extension SQLiteStorageManager {
    /// Opens or creates a database on a separate thread, and reports the progress of any migration.
    ///
    /// - Parameters:
    ///   - model: The model that describes the entities.
    ///   - url: The URL of the database file. A missing folder is created.
    ///   - configuration: The settings to use.
    /// - Returns: The running operation. It continues even if no task awaits its manager.
    public static func opening(
        model: ObjectModel,
        url: URL,
        configuration: ObjectStorageConfiguration = .init()
    ) -> StorageOpening {
        let opening = StorageOpening(configuration)
        opening.start { control in
            try SQLiteStorageManager(model: model, url: url, configuration: configuration, control: control)
        }
        return opening
    }
}
#endif
