import LarderFiles
import Synchronization

/// A number in a memory-mapped file that is shared between processes.
///
/// The number survives a crash or termination of the process that wrote it.
package final class SharedNumber: Sendable {
    private let region: any MappedRegion

    /// Opens the file at `path`, creating it with the number zero if it does not exist.
    package init(at path: String) throws {
        let file = try LocalFileSystem.local.open(path, FileOpenMode(isWritable: true, creation: .ifMissing))
        try file.truncate(to: MemoryPage.size)
        region = try file.map(offset: 0, count: MemoryPage.size, writable: true)
    }

    package var value: Int64 {
        get { number?.pointee.load(ordering: .acquiring) ?? 0 }
        set { number?.pointee.store(newValue, ordering: .releasing) }
    }

    private var number: UnsafeMutablePointer<Atomic<Int64>>? {
        region.bytes.baseAddress?.assumingMemoryBound(to: Atomic<Int64>.self)
    }
}
