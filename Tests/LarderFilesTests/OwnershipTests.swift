import Foundation
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

/// A file that is to take the place of another one, when this process may not give it to the same users.
@Suite struct OwnershipTests {
    /// Refuses as many writes as it is told to; to give a file to somebody counts as one.
    private final class RefusingFileSystem: ForwardingFileSystem {
        let base: any FileSystem = LyingFileSystem(directories: ["/data"])
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

    /// The mode that a file gets in the place of one of another user and group.
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

    @Test func anotherGroupGetsNoRights() throws { #expect(try mode(refusals: 2) == 0o604) }

    @Test func theSameGroupKeepsItsRights() throws { #expect(try mode(refusals: 2, group: 0) == 0o664) }

    @Test func thatOwnersCannotBeSetIsNoFailure() throws { #expect(throws: Never.self) { try mode(refusals: 2) } }
}
