package import Foundation
import LarderCore

/// The arguments of ``StandardStore/configure(application:directory:)``.
package struct StandardStoreConfiguration: Sendable, Hashable {
    package let application: String
    package let directory: URL?

    package init(application: String, directory: URL? = nil) throws {
        let isFileName = !["", ".", ".."].contains(application) && !application.contains { $0 == "/" || $0 == "\0" }
        guard isFileName else {
            throw StoreError(
                .invalidConfiguration,
                "The application name \(application.debugDescription) is not a valid file name. Configure device storage with another name."
            )
        }
        guard directory == nil || PlatformStandardStore.takesDirectory else {
            throw StoreError(
                .invalidConfiguration,
                "A custom directory is not supported on this platform, where the system chooses the location of device storage. Configure device storage without a directory, or open a separate store in the directory."
            )
        }
        guard directory?.isFileURL != false else {
            throw StoreError(
                .invalidConfiguration,
                "The directory of device storage must be a file URL. Pass the URL of a local folder."
            )
        }
        self.application = application
        self.directory = directory
    }
}
