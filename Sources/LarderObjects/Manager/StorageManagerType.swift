#if Objects
public import Foundation

/// A storage manager that provides a read-only view and runs write operations.
///
/// Adopt the protocol to implement your own manager, such as a fake for tests.
public protocol StorageManagerType: AnyObject, Sendable {
    /// The read-only view of all saved objects as of the last merge.
    ///
    /// The property returns the same instance for the lifetime of the manager. The view can be used on any thread, but on only one thread
    /// at a time. The view's objects change only on the queue on which the view merges commits, by default the main queue. Between a commit
    /// and its merge, a fetch may return new objects together with objects that still have their old values.
    var viewStorage: any StorageType { get }

    /// Runs `operation` on the background writer, saves its changes in one transaction, merges them into the view, and calls `completion`.
    ///
    /// - Parameters:
    ///   - operation: A closure that reads and changes objects. If it throws an error, all changes are rolled back, and the error is
    ///     reported to the manager's issues.
    ///   - completion: A closure that is called after the view has merged the changes, or after `operation` or the save has failed.
    ///   - queue: The queue on which `completion` is called.
    func performAndSave(
        _ operation: @escaping @Sendable (any WritableStorageType) throws -> Void,
        completion: (@Sendable () -> Void)?,
        on queue: DispatchQueue
    )

    /// Runs `operation` on the background writer, saves its changes in one transaction, merges them into the view, and passes the result to
    /// `completion`.
    ///
    /// - Parameters:
    ///   - operation: A closure that reads and changes objects. If it throws an error, all changes are rolled back.
    ///   - completion: A closure that receives the result of `operation` after the view has merged the changes, or the error.
    ///   - queue: The queue on which `completion` is called.
    func performAndSave<T: Sendable>(
        _ operation: @escaping @Sendable (any WritableStorageType) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void,
        on queue: DispatchQueue
    )

    /// Deletes all objects, resets the view, and posts `StorageManagerDidResetStorage`.
    ///
    /// - Throws: ``ObjectError`` if the database can't be written. If the call throws, nothing is changed.
    func reset() throws
}

extension StorageManagerType {
    /// Runs `operation` on the background writer, saves its changes in one transaction, merges them into the view, and calls `completion`.
    ///
    /// - Parameters:
    ///   - operation: A closure that reads and changes objects. If it throws an error, all changes are rolled back, and the error is
    ///     reported to the manager's issues.
    ///   - completion: A closure that is called on the main queue after the view has merged the changes, or after `operation` or the save
    ///     has failed.
    public func performAndSave(
        _ operation: @escaping @Sendable (any WritableStorageType) throws -> Void,
        completion: (@Sendable () -> Void)?
    ) {
        performAndSave(operation, completion: completion, on: .main)
    }

    /// Runs `operation` on the background writer, saves its changes in one transaction, merges them into the view, and returns the result.
    ///
    /// - Parameter operation: A closure that reads and changes objects.
    /// - Returns: The result of `operation`, after the view has merged the changes.
    /// - Throws: The error that `operation` or the save throws, after all changes are rolled back.
    @discardableResult
    public func performAndSave<T: Sendable>(
        _ operation: @escaping @Sendable (any WritableStorageType) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            performAndSave(operation, completion: { continuation.resume(with: $0) }, on: .global())
        }
    }
}

extension Notification.Name {
    // The original API has this name.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted after ``StorageManagerType/reset()``, with the manager as the notification's object.
    public static let StorageManagerDidResetStorage = Notification.Name("StorageManagerDidResetStorage")
}
#endif
