internal import LarderCore
internal import Synchronization

#if !canImport(Darwin)
/// A watcher that notices when a process writes to a file.
///
/// All files share one `inotify` instance, because the system limits the instances of a user, and one background thread. Both exist only
/// while a file is watched. Watching opens no file, so it does not release the locks that SQLite holds.
package final class FileWatcher: Sendable {
    /// The watcher of this process.
    package static let shared = FileWatcher()

    private typealias Notice = @Sendable () -> Void

    private struct Instance {
        let descriptor: Int32
        let forks = CurrentProcess.forkGeneration
        /// The closures to call for each file, keyed by the number of the file's watch.
        var notices: [Int32: [Int: Notice]] = [:]

        /// Whether the instance belongs to this process, and not to its parent.
        var isOwn: Bool { forks == CurrentProcess.forkGeneration }
    }
    private struct State {
        var instance: Instance?
        var lastID = 0
    }
    private let state = Mutex(State())

    /// Creates a watcher with an instance of its own.
    package init() {}

    /// Calls `onChange` after each write to the file at `path`, by any process.
    ///
    /// The first write causes a call at once, and writes in the next 5 ms one more call. A call may come without a write. Writes through a
    /// memory mapping are not noticed, nor are writes by another machine.
    ///
    /// - Parameters:
    ///   - path: The path of an existing file. A file that is created later at the same path is not watched.
    ///   - onChange: A closure that is called on a thread shared by all watches, so it must not block.
    /// - Returns: The watch. The file is watched until the watch ends.
    /// - Throws: ``FileError``, with code `unsupported` if the platform can't watch files, or with code `tooManyOpenFiles` if the user has
    ///   too many instances or watches.
    package func watch(_ path: String, _ onChange: @escaping @Sendable () -> Void) throws -> FileWatch {
        guard !path.utf8.contains(0) else { throw FileError.containsNull(path, .watch) }
        let (descriptor, number, id) = try state.withLock { state in
            var instance = try state.instance.flatMap { $0.isOwn ? $0 : nil } ?? Self.instance(path)
            let isNew = instance.notices.isEmpty
            do {
                let number = try Self.add(path, instance.descriptor)
                state.lastID += 1
                instance.notices[number, default: [:]][state.lastID] = onChange
                if isNew { try start(instance.descriptor) }
                state.instance = instance
                return (instance.descriptor, number, state.lastID)
            } catch {
                if isNew { try? SystemCalls.close(instance.descriptor) }
                throw error
            }
        }
        return FileWatch { [self] in end(descriptor, number, id) }
    }

    private static func instance(_ path: String) throws -> Instance {
        do { return Instance(descriptor: try SystemCalls.openWatcher()) } catch {
            let error = FileError(errno: error.number, .watch, path)
            throw error.code == .tooManyOpenFiles
                ? error.adding(detail: "or the user's limit of inotify instances (fs.inotify.max_user_instances)")
                : error
        }
    }

    private static func add(_ path: String, _ descriptor: Int32) throws -> Int32 {
        do { return try SystemCalls.addWatch(descriptor, path) } catch  where error.number == SystemCalls.tooManyWatches
        {
            throw FileError(
                .tooManyOpenFiles,
                .watch,
                path,
                errno: error.number,
                detail: "the user's limit of inotify watches (fs.inotify.max_user_watches) is reached"
            )
        } catch {
            throw FileError(errno: error.number, .watch, path)
        }
    }

    private func end(_ descriptor: Int32, _ number: Int32, _ id: Int) {
        // The closure is released outside the lock.
        let ended = state.withLock { state -> Notice? in
            guard let instance = state.instance, instance.descriptor == descriptor, instance.isOwn else { return nil }
            let ended = state.instance?.notices[number]?.removeValue(forKey: id)
            guard state.instance?.notices[number]?.isEmpty == true else { return ended }
            SystemCalls.removeWatch(descriptor, number)
            Self.remove(number, &state)
            return ended
        }
        withExtendedLifetime(ended) {}
    }

    /// Removes a file, and the instance after its last file.
    private static func remove(_ number: Int32, _ state: inout State) {
        state.instance?.notices[number] = nil
        if state.instance?.notices.isEmpty == true { state.instance = nil }
    }

    // MARK: The thread

    /// The time in which further writes cause only one more call.
    private static let pause = Duration.milliseconds(5)

    private func start(_ descriptor: Int32) throws { try BackgroundThreads.shared.run { [self] in serve(descriptor) } }

    /// Calls the closures of changed files until the instance has no more files, then closes the instance.
    private func serve(_ descriptor: Int32) {
        // The end of the last watch is an event too, so the thread does not wait for a change that never comes.
        while isInUse(descriptor) {
            for notice in notices(Self.events(descriptor), of: descriptor) { notice() }
            // A process that writes continuously must not wake the thread at every write.
            CurrentProcess.sleep(for: Self.pause)
        }
        // Nothing uses the descriptor any more, so a failure has no consequence.
        try? SystemCalls.close(descriptor)
    }

    private func isInUse(_ descriptor: Int32) -> Bool { state.withLock { $0.instance?.descriptor == descriptor } }

    private static func events(_ descriptor: Int32) -> [SystemCalls.WatchEvent] {
        do { return try SystemCalls.readWatches(descriptor) } catch {
            // The events can't be read, so the files are treated as changed from time to time.
            CurrentProcess.sleep(for: .milliseconds(500))
            return [SystemCalls.WatchEvent(number: nil, hasEnded: false)]
        }
    }

    /// Returns the closures to call for events, and removes the files that no longer exist.
    private func notices(_ events: [SystemCalls.WatchEvent], of descriptor: Int32) -> [Notice] {
        state.withLock { state in
            guard let instance = state.instance, instance.descriptor == descriptor else { return [] }
            let isAny = events.contains { $0.number == nil }
            let numbers = isAny ? Set(instance.notices.keys) : Set(events.compactMap(\.number))
            for event in events where event.hasEnded { if let number = event.number { Self.remove(number, &state) } }
            return numbers.flatMap { instance.notices[$0].map { Array($0.values) } ?? [] }
        }
    }
}
#endif
