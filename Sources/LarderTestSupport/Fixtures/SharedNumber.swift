import LarderFiles
import Synchronization

/// A number in memory that processes share through a file: one states in it how far it is, another one reads it, and it stays when
/// the first is killed.
package final class SharedNumber: Sendable {
    private let region: any MappedRegion

    /// The number in a file, which is made where it is missing; zero then.
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
