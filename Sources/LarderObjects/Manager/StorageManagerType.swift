#if Objects
public import Foundation

/// What has a view to read from, and runs work that writes: what `CoreDataManager` was.
///
/// Adopt it for a manager of your own, such as one for tests.
public protocol StorageManagerType: AnyObject, Sendable {
    /// The view, always the same one: what is saved, as of the last merge.
    ///
    /// It may be used on any thread, which goes through it one at a time; its objects change only where it merges, which is
    /// the main queue unless the manager says otherwise. Between a commit and its merge an object may still show its old values
    /// in a list that was fetched anew.
    var viewStorage: any StorageType { get }

    /// Runs work on the one background writer, saves in one transaction, merges into the view, then completes.
    ///
    /// - Parameters:
    ///   - operation: The work. When it throws, neither the database nor memory is changed, which is reported to the
    ///     manager's issues.
    ///   - completion: Called at the end in any case, when the view has what was saved.
    ///   - queue: Where `completion` is called.
    func performAndSave(
        _ operation: @escaping @Sendable (any WritableStorageType) throws -> Void,
        completion: (@Sendable () -> Void)?,
        on queue: DispatchQueue
    )

    /// Runs work on the one background writer, saves in one transaction, merges into the view, then hands the result over.
    ///
    /// - Parameters:
    ///   - operation: The work. When it throws, neither the database nor memory is changed.
    ///   - completion: Gets what `operation` returned when the view has what was saved, or why nothing was.
    ///   - queue: Where `completion` is called.
    func performAndSave<T: Sendable>(
        _ operation: @escaping @Sendable (any WritableStorageType) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void,
        on queue: DispatchQueue
    )

    /// Deletes all objects, empties the view, and posts `StorageManagerDidResetStorage`.
    ///
    /// - Throws: ``ObjectError`` when the database refused; nothing was changed then.
    func reset() throws
}

extension StorageManagerType {
    /// Runs work on the one background writer, saves in one transaction, merges into the view, then completes.
    ///
    /// - Parameters:
    ///   - operation: The work. When it throws, neither the database nor memory is changed, which is reported to the
    ///     manager's issues.
    ///   - completion: Called on the main queue in any case, when the view has what was saved.
    public func performAndSave(
        _ operation: @escaping @Sendable (any WritableStorageType) throws -> Void,
        completion: (@Sendable () -> Void)?
    ) {
        performAndSave(operation, completion: completion, on: .main)
    }

    /// Runs work on the one background writer, saves in one transaction, merges into the view, then returns the result.
    ///
    /// - Parameter operation: The work.
    /// - Returns: What `operation` returned, when the view has what was saved.
    /// - Throws: What `operation` threw, or why it could not be saved. Neither the database nor memory was changed then.
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
    // The name is the original's.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted by a manager, which is the notification's object, after ``StorageManagerType/reset()``.
    public static let StorageManagerDidResetStorage = Notification.Name("StorageManagerDidResetStorage")
}
#endif
