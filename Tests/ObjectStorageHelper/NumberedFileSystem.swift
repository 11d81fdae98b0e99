#if Objects
import CObjectStorageFaults
import Foundation
import LarderFiles
import LarderTestSupport

/// The local file system, whose changes are numbered and recorded together with those of SQLite.
struct NumberedFileSystem: ForwardingFileSystem {
    let base: any FileSystem = LocalFileSystem()

    func rename(_ source: String, to destination: String) throws {
        try change("r", .rename, source)
        try base.rename(source, to: destination)
        larder_faults_note(Self.letter("r"), source, destination)
    }

    func remove(_ path: String) throws {
        try change("x", .remove, path)
        try base.remove(path)
        larder_faults_note(Self.letter("d"), path, nil)
    }

    func synchronizeDirectory(at path: String) throws {
        try change("y", .synchronize, path)
        try base.synchronizeDirectory(at: path)
    }

    private func change(_ name: Unicode.Scalar, _ operation: FileError.Operation, _ path: String) throws {
        guard larder_faults_change(Self.letter(name)) == 0 else {
            throw FileError(.inputOutput, operation, path, errno: EIO)
        }
    }

    private static func letter(_ name: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: name.value) }
}
#endif
