#if Objects
package import Foundation
package import LarderFiles

extension SQLiteStorageManager {
    /// Opens a database through a file system on which a test injects faults.
    ///
    /// SQLite itself does not use the file system. Its calls are intercepted by a VFS.
    package convenience init(
        model: ObjectModel,
        url: URL,
        configuration: ObjectStorageConfiguration,
        files: any FileSystem
    ) throws {
        let model = try model.resolved()
        let opened = try DatabaseOpening(model: model, path: url.path, configuration, files: files).open()
        self.init(model: model, opened, path: url.path, temporaryFolder: nil, configuration)
    }
}
#endif
