#if Objects
package import Foundation
package import LarderFiles

extension SQLiteStorageManager {
    /// Opens a database with a file system that injects faults, for tests.
    ///
    /// The file system does not affect SQLite's own calls, which tests intercept with a VFS.
    package convenience init(
        model: ObjectModel,
        url: URL,
        configuration: ObjectStorageConfiguration,
        files: any FileSystem
    ) throws {
        let model = try model.resolved()
        let opened = try DatabaseOpening(model: model, path: url.path, configuration, files: files).open()
        try self.init(model: model, opened, path: url.path, temporaryFolder: nil, configuration)
    }
}
#endif
