#if Objects && !canImport(CoreData)
/// The name of the storage manager in code that was written for Core Data.
@available(*, deprecated, renamed: "SQLiteStorageManager", message: "The storage is SQLite, not Core Data.")
public typealias CoreDataManager = SQLiteStorageManager
#endif
