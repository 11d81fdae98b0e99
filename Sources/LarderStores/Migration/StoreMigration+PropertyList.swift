public import LarderCore

extension StoreMigration {
    /// Creates a migration from an XML or binary property list that any program may have written.
    ///
    /// - Parameters:
    ///   - name: The name under which the destination records the migration. Don't use the path as the name, because the path may change.
    ///   - path: The path of the file, which is not changed. If there is no file, there is nothing to migrate.
    /// - Throws: `StoreError`, with code `damaged` and the offset of the error if the file is not a property list.
    public init(_ name: String, fromPropertyListAt path: String) throws {
        self.init(name, from: try PropertyListStore(path: path))
    }
}
