#if canImport(Darwin)
internal import Dispatch

/// A watcher that notices when a process writes to a file.
///
/// On Apple platforms, each watched file is open, without access to its content, and closing it releases the POSIX locks of this process on
/// the file.
package final class FileWatcher: Sendable {
    /// The watcher of this process.
    package static let shared = FileWatcher()

    private let queue = DispatchQueue(label: "larder.files.watcher", qos: .userInitiated)

    /// Creates a watcher with a queue of its own.
    package init() {}

    /// Calls `onChange` after each write to the file at `path`, by any process.
    ///
    /// Several writes may cause one call, and a call may come without a write. Writes through a memory mapping are not noticed, nor are
    /// writes by another machine.
    ///
    /// - Parameters:
    ///   - path: The path of an existing file. A file that is created later at the same path is not watched.
    ///   - onChange: A closure that is called on a queue shared by all watches, so it must not block.
    /// - Returns: The watch. The file is watched until the watch ends.
    /// - Throws: ``FileError`` if the file can't be opened.
    package func watch(_ path: String, _ onChange: @escaping @Sendable () -> Void) throws -> FileWatch {
        guard !path.utf8.contains(0) else { throw FileError.containsNull(path, .watch) }
        let descriptor: Int32
        do { descriptor = try SystemCalls.openForEvents(path) } catch {
            throw FileError(errno: error.number, .watch, path)
        }
        // This is safe because sources are thread-safe.
        nonisolated(unsafe) let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor,
            eventMask: [.write, .extend, .delete],
            queue: queue
        )
        source.setEventHandler(handler: onChange)
        source.setCancelHandler { try? SystemCalls.close(descriptor) }
        source.resume()
        return FileWatch { source.cancel() }
    }
}
#endif
