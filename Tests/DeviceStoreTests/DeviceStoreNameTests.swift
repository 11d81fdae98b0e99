import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Tests of the files next to a store and of their permissions.
@Suite struct DeviceStoreNameTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("s.larder") }

    init() throws { directory = try TemporaryDirectory() }

    @Test func temporaryFileOfRunningProcessIsNotRemoved() throws {
        let next = try DeviceStore(path: path + ".new")
        try next.set(1, for: "next")
        let store = try DeviceStore(path: path)
        try store.set(2, for: "now")
        try store.compact()
        #expect(try next.contents() == ["next": 1])
        #expect(try store.verify().isIntact && next.verify().isIntact)
    }

    @Test(arguments: [".ctl", ".larder-new"])
    func storeNameWithReservedSuffixIsRejected(_ suffix: String) throws {
        let error = #expect(throws: StoreError.self) { try DeviceStore(path: path + suffix) }
        #expect(error?.code == .invalidConfiguration)
        #expect(!FileManager.default.fileExists(atPath: path + suffix))
    }

    @Test func backupToReservedNameIsRejected() throws {
        let store = try DeviceStore(path: path)
        try store.set(1, for: "key")
        let error = #expect(throws: StoreError.self) { try store.backup(to: path + ".ctl") }
        #expect(error?.code == .invalidConfiguration)
        #expect(try store.contents() == ["key": 1])
        #expect(try store.verify().isIntact)
    }

    @Test func compactionPreservesFileMode() throws {
        let store = try DeviceStore(path: path)
        try store.set(1, for: "key")
        #expect(chmod(path, 0o640) == 0)
        try store.compact()
        #expect(try mode() == 0o640)
        #expect(try store.verify().isIntact)
    }

    @Test func repairPreservesFileMode() throws {
        try DeviceStore(path: path).set(1, for: "key")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[4096 + 20] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
        #expect(chmod(path, 0o640) == 0)
        #expect(try DeviceStore.repair(at: path) != nil)
        #expect(try mode() == 0o640)
        #expect(try DeviceStore(path: path).verify().isIntact)
    }

    @Test func backupDoesNotWriteToExistingTemporaryFile() throws {
        let store = try DeviceStore(path: path)
        try store.set("secret", for: "key")
        let copy = directory.path("copy.larder")
        try Data("planted".utf8).write(to: URL(fileURLWithPath: copy + ".larder-new"))
        #expect(chmod(copy + ".larder-new", 0o666) == 0)
        let planted = try FileHandle(forReadingFrom: URL(fileURLWithPath: copy + ".larder-new"))
        try store.backup(to: copy)
        #expect(try planted.readToEnd() == Data("planted".utf8))
        #expect(try LocalFileSystem().information(at: copy)?.permissions == 0o600)
        let opened = try DeviceStore(path: copy)
        #expect(try opened.contents() == ["key": "secret"])
        #expect(try opened.verify().isIntact && store.verify().isIntact)
    }

    /// Replaces the temporary file during the backup.
    ///
    /// The new file must be neither moved into place nor removed.
    @Test func backupFailsIfTemporaryFileIsReplaced() throws {
        let copy = directory.path("copy.larder")
        let new = URL(fileURLWithPath: copy + ".larder-new")
        let meddled = MeddledFileSystem(.syncing, new.path)
        var options = DeviceStoreOptions()
        options.environment.fileSystem = meddled
        let store = try DeviceStore(path: path, options: options)
        try store.set(1, for: "key")
        meddled.once {
            #expect(throws: Never.self) {
                try FileManager.default.removeItem(at: new)
                try Data("another's".utf8).write(to: new)
            }
        }
        let error = #expect(throws: StoreError.self) { try store.backup(to: copy) }
        #expect(error?.code == .busy && error?.path == copy)
        #expect(error?.message == "The store is in use. Try again.")
        #expect((error?.underlying as? FileError)?.operation == .rename)
        #expect(!FileManager.default.fileExists(atPath: copy))
        #expect(try Data(contentsOf: new) == Data("another's".utf8))
        #expect(try store.contents() == ["key": 1])
        #expect(try store.verify().isIntact)
        try store.backup(to: copy)
        #expect(try DeviceStore(path: copy).verify().isIntact)
    }

    @Test(.enabled(if: geteuid() == 0, "only root may give files away"))
    func compactionByRootPreservesFileOwner() throws {
        let store = try DeviceStore(path: path)
        try store.set(1, for: "key")
        #expect(chown(path, 12_345, 12_346) == 0)
        try store.compact()
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect([status.st_uid, status.st_gid] == [12_345, 12_346])
        #expect(try store.verify().isIntact)
    }

    private func mode() throws -> mode_t {
        var status = stat()
        guard stat(path, &status) == 0 else { throw CocoaError(.fileNoSuchFile) }
        return status.st_mode & 0o777
    }
}
