#if Objects && !canImport(CoreData)
/// The name of the manager where there was Core Data.
@available(*, deprecated, renamed: "SQLiteStorageManager", message: "There is no Core Data here: it is SQLite.")
public typealias CoreDataManager = SQLiteStorageManager
#endif
