import Foundation
import LarderCore
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

@testable import LarderStores

/// Tests in which a program that uses no locks writes to the file at critical moments.
@Suite struct SharedPreferencesConflictTests {
    private let path = "/data/p.xml"
    private let format = SharedPreferencesFileFormat()

    private func bytes(_ number: Int64) throws -> [UInt8] {
        var content = format.empty
        content.set(.int(number), for: "a")
        return try format.encode(content)
    }

    private func put(_ bytes: [UInt8], _ path: String, on disk: SimulatedFileSystem) throws {
        let file = try disk.open(path, FileOpenMode(isWritable: true, creation: .ifMissing))
        try file.truncate(to: 0)
        try file.write(bytes, at: 0)
    }

    @Test func fileChangedSinceReadIsNotOverwritten() throws {
        let disk = SimulatedFileSystem(files: [path: try bytes(1)])
        let seen = try disk.information(at: path, followingLinks: true)
        try put(bytes(2), path, on: disk)
        let error = #expect(throws: StoreError.self) {
            try format.replace(path, seen: seen, with: bytes(3), on: disk)
        }
        #expect(error?.code == .conflict)
        #expect(try disk.contents(of: path) == Data(bytes(2)))
        #expect(try disk.contentsOfDirectory(at: "/data") == ["p.xml"])
    }

    @Test func backupChangedSinceReadIsNotOverwritten() throws {
        let backup = path + ".bak"
        let disk = SimulatedFileSystem(files: [path: [], backup: try bytes(1)])
        let seen = try disk.information(at: backup, followingLinks: true)
        try put(bytes(2), backup, on: disk)
        #expect(throws: StoreError.self) { try format.replace(path, seen: seen, with: bytes(3), on: disk) }
        #expect(try disk.contents(of: backup) == Data(bytes(2)))
    }

    @Test func commitThrowsConflictIfFileWasCreatedOrRemovedSinceRead() throws {
        let disk = SimulatedFileSystem(files: [path: try bytes(1)])
        let seen = try disk.information(at: path, followingLinks: true)
        #expect(throws: StoreError.self) { try format.replace(path, seen: nil, with: bytes(3), on: disk) }
        #expect(try disk.contents(of: path) == Data(bytes(1)))
        try disk.remove(path)
        #expect(throws: StoreError.self) { try format.replace(path, seen: seen, with: bytes(3), on: disk) }
        #expect(try disk.contentsOfDirectory(at: "/data").isEmpty)
    }

    @Test func crashWhileWritingSharedPreferencesLeavesBackup() throws {
        let disk = SimulatedFileSystem(files: [path + ".bak": try bytes(1), path: Array("<map><int na".utf8)])
        let store = try SharedPreferencesStore(path: path, on: disk, lockLimit: .zero)
        let first = disk.eventCount
        try store.set(2, for: "a")
        let acknowledged = disk.eventCount
        try disk.forEachCrashImage(atLeast: 80, from: first) { image in
            let survivor = try SharedPreferencesStore(path: path, on: image.fileSystem)
            let value = try survivor.get("a")
            #expect(value == 2 || (value == 1 && image.eventCount < acknowledged), "\(image)")
            #expect(try survivor.verify().isIntact)
        }
    }
}
