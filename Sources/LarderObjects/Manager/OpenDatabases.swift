#if Objects
internal import LarderFiles
internal import Synchronization

/// A registry of the database files that managers in this process have open.
///
/// The class is thread-safe. Files are identified by device and inode.
final class OpenDatabases: Sendable {
    static let shared = OpenDatabases()

    private struct File: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    private let files = Mutex<[File: Int]>([:])

    /// Returns whether a manager in this process has the file open.
    func contains(_ information: FileInformation) -> Bool {
        files.withLock { $0[Self.file(information)] != nil }
    }

    /// Registers a file as open until the returned registration is closed.
    func register(_ information: FileInformation) -> Registration {
        let file = Self.file(information)
        files.withLock { $0[file, default: 0] += 1 }
        return Registration { [self] in
            files.withLock { files in
                let left = (files[file] ?? 1) - 1
                files[file] = left > 0 ? left : nil
            }
        }
    }

    private static func file(_ information: FileInformation) -> File {
        File(device: information.device, inode: information.inode)
    }

    /// The registration of an open database file.
    final class Registration: Sendable {
        private let isOpen = Mutex(true)
        private let remove: @Sendable () -> Void

        init(_ remove: @escaping @Sendable () -> Void) { self.remove = remove }

        /// Removes the file from the list of open files.
        func close() {
            let wasOpen = isOpen.withLock { isOpen in
                defer { isOpen = false }
                return isOpen
            }
            if wasOpen { remove() }
        }

        deinit { close() }
    }
}
#endif
