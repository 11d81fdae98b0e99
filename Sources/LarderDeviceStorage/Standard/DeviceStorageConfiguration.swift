package import Foundation
import LarderCore

/// What ``DeviceStorage/configure(application:directory:)`` was told.
package struct DeviceStorageConfiguration: Sendable, Hashable {
    package let application: String
    package let directory: URL?

    package init(application: String, directory: URL? = nil) throws {
        let isFileName = !["", ".", ".."].contains(application) && !application.contains { $0 == "/" || $0 == "\0" }
        guard isFileName else {
            throw StoreError(
                .invalidConfiguration,
                "\(application.debugDescription) can't be the name of a file: configure device storage with another one."
            )
        }
        guard directory == nil || PlatformDeviceStorage.takesDirectory else {
            throw StoreError(
                .invalidConfiguration,
                "On this platform the system chooses where device storage is: leave out the directory, or open a store of your own in it."
            )
        }
        guard directory?.isFileURL != false else {
            throw StoreError(
                .invalidConfiguration,
                "Device storage needs a folder on this machine: give it a file URL."
            )
        }
        self.application = application
        self.directory = directory
    }
}
