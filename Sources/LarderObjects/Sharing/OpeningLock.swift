#if Objects
internal import LarderCore
internal import LarderFiles

/// The lock that coordinates the managers that open a database, in the file `FILE-lock`.
///
/// A manager holds the lock shared while the database is open, and exclusively while it creates, migrates or replaces the database file.
/// A shared lock is never exchanged for an exclusive one while waiting, because two managers that both did that would wait for each other.
struct OpeningLock {
    private let path: String
    private let timeout: Duration
    private let file: LockFile
    /// Whether a manager in this process has the database open.
    private let isOpenHere: () throws -> Bool

    /// Creates a lock without acquiring it.
    ///
    /// - Parameters:
    ///   - place: The path of the database file, without symbolic links.
    ///   - path: The path of the database for error messages.
    ///   - timeout: The maximum time to wait for other managers.
    ///   - files: The file system that contains the database.
    ///   - isOpenHere: A closure that returns whether a manager in this process has the database open.
    init(
        place: String,
        path: String,
        timeout: Duration,
        files: any FileSystem,
        isOpenHere: @escaping () throws -> Bool
    ) {
        self.path = path
        self.timeout = timeout
        self.isOpenHere = isOpenHere
        file = LockFile(at: place + "-lock", on: files)
    }

    /// Acquires the lock for a manager that opens the database.
    ///
    /// - Throws: ``ObjectError`` with code `busy` if another manager creates, migrates or replaces the database.
    func shared(within limit: Duration? = nil) throws -> HeldLock {
        do {
            return try file.acquire(.shared, within: limit ?? timeout)
        } catch let error as FileError where error.code == .busy {
            throw heldExclusively(error)
        }
    }

    /// Runs `body` while no other manager has the database open.
    ///
    /// - Parameters:
    ///   - limit: The maximum time to wait for other managers. The default, `nil`, is the time-out of the lock.
    ///   - body: A closure that creates or changes the database file.
    /// - Returns: The result of `body`.
    /// - Throws: ``ObjectError`` with code `busy` if another manager has the database open; `body` is then not called. Otherwise, the error
    ///   that `body` throws.
    func exclusively<Result>(within limit: Duration? = nil, _ body: () throws -> Result) throws -> Result {
        let held: HeldLock
        do {
            held = try file.acquire(.exclusive, within: limit ?? timeout)
        } catch let error as FileError where error.code == .busy {
            throw try busy(error)
        }
        defer { held.release() }
        return try body()
    }

    private func busy(_ error: FileError) throws -> ObjectError {
        if try isOpenHere() { return DatabaseOpening.openHere(path) }
        guard (try? file.acquire(.shared, within: .zero))?.release() != nil else { return heldExclusively(error) }
        // The file names its last exclusive holder, which need not be one of the managers that hold the lock shared.
        return ObjectError(
            .busy,
            "The database is open in another process. Close it in that process, or try again later.",
            path: path
        )
    }

    private func heldExclusively(_ error: FileError) -> ObjectError {
        ObjectError(
            .busy,
            "Another process is creating, migrating or replacing the database, or has it open in an earlier version of Larder. "
                + "Try again later.",
            path: path,
            underlying: error
        )
    }
}
#endif
