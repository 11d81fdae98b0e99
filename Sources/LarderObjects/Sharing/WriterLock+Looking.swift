#if Objects
package import LarderFiles

extension WriterLock {
    /// Returns whether a writer in any process holds the lock of a database.
    ///
    /// A writer makes its commit visible before it releases the lock. A writer that was killed does not hold the lock.
    ///
    /// - Parameters:
    ///   - place: The path of the database file, without symbolic links.
    ///   - files: The file system that contains the database.
    /// - Returns: `true` if a writer holds the lock, or `false` if the lock is free or its file can't be read.
    package static func isHeld(at place: String, _ files: any FileSystem) -> Bool {
        do {
            let file = try files.open(place + suffix, .reading)
            defer { try? file.close() }
            if let holder = WriterPage.holder(in: try file.read(at: 0, count: WriterPage.size)) {
                return try holder != 0 && file.isHeld(Int(holder))
            }
            // The file is a file lock, which closing releases again.
            return try !file.lock(.shared, wait: false)
        } catch {
            return false
        }
    }
}
#endif
