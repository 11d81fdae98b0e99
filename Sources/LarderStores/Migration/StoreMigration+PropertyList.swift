public import LarderCore

extension StoreMigration {
    /// The migration of what a property list holds, XML or binary, by whatever program it was written.
    ///
    /// - Parameters:
    ///   - name: What the destination remembers it by; not the path, which may change.
    ///   - path: The file. It is only read. Where there is none, there is nothing to migrate.
    /// - Throws: ``StoreError``: `damaged` with the place when it is no property list; the file stays as it is.
    public init(_ name: String, fromPropertyListAt path: String) throws {
        self.init(name, from: try PropertyListStore(path: path))
    }
}
