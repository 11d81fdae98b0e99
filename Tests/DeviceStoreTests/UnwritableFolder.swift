import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Synchronization

/// The real file system, except that nothing can be created in certain folders.
final class UnwritableFolder: ForwardingFileSystem {
    let base: any FileSystem = .local
    let isWritable = Atomic(true)

    func open(_ path: String, _ mode: FileOpenMode) throws -> any OpenFile {
        if !isWritable.load(ordering: .relaxed), path.hasSuffix(LogFormat.newSuffix) {
            throw FileError(errno: 13, .open, path)
        }
        return try base.open(path, mode)
    }
}
