package import LarderCore

/// A store whose file is always all of it, and is replaced as a whole.
package protocol WholeFileStore: KeyValueStore {
    /// The bytes of the file that counts, all of one moment; `nil` when there is none.
    ///
    /// - Throws: ``StoreError`` when it cannot be read.
    func fileContents() throws -> [UInt8]?

    /// Makes the file, with nothing in it, where there is none.
    ///
    /// - Throws: ``StoreError`` when it cannot be made, or the disk does not confirm it.
    func makeFile() throws
}

extension PropertyListStore: WholeFileStore {
    package func fileContents() throws -> [UInt8]? { try file.contents()?.bytes }
    package func makeFile() throws { try file.make() }
}

extension SharedPreferencesStore: WholeFileStore {
    /// Those of the backup, as long as there is one.
    package func fileContents() throws -> [UInt8]? { try file.contents()?.bytes }
    package func makeFile() throws { try file.make() }
}
