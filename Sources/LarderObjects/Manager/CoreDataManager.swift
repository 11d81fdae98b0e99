#if Objects && !canImport(CoreData)
/// An alias of the storage manager for code that was written for Core Data.
@available(*, deprecated, renamed: "SQLiteStorageManager", message: "The storage is SQLite, not Core Data.")
public typealias CoreDataManager = SQLiteStorageManager
#endif
