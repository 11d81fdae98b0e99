import Foundation
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

/// Tests of replacing a file whose owner and group this process is not allowed to set.
@Suite struct OwnershipTests {
    /// A file system that makes a certain number of writes fail, including changes to a file's owner.
    private final class RefusingFileSystem: ForwardingFileSystem {
        let base: any FileSystem = SimulatedFileSystem(directories: ["/data"])
        private let refusals: Mutex<Int>

        init(_ refusals: Int) { self.refusals = Mutex(refusals) }

        func calling<Result>(
            _ operation: FileError.Operation,
            _ path: String,
            _ body: () throws -> Result
        ) throws -> Result {
            let isRefused = refusals.withLock { left in
                guard operation == .write, left > 0 else { return false }
                left -= 1
                return true
            }
            if isRefused { throw FileError(.unsupported, operation, path) }
            return try body()
        }
    }

    /// Replaces a file that belongs to another owner or group, and returns the mode of the new file.
    private func mode(refusals: Int, owner: UInt32 = 7, group: UInt32 = 7) throws -> UInt16 {
        let fileSystem = RefusingFileSystem(refusals)
        let file = try fileSystem.open("/data/new", FileOpenMode(isWritable: true, creation: .always))
        var former = try file.information()
        former.permissions = 0o664
        former.owner = owner
        former.group = group
        try file.takeOver(former)
        return try file.information().permissions
    }

    @Test func replacedFileGrantsNoPermissionsToAnotherGroup() throws { #expect(try mode(refusals: 2) == 0o604) }

    @Test func replacedFileKeepsPermissionsOfSameGroup() throws { #expect(try mode(refusals: 2, group: 0) == 0o664) }

    @Test func fileReplacementSucceedsIfOwnerCannotBeSet() throws {
        #expect(throws: Never.self) { try mode(refusals: 2) }
    }
}
