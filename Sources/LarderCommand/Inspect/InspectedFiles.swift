#if Command && Inspector
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderReplication
#if Objects
import LarderObjects
#endif

/// The files that `larder inspect` shows.
struct InspectedFiles {
    /// The paths of files and folders.
    let paths: [String]
    let key: EncryptionKeySource?
    /// Whether changes are followed.
    ///
    /// Otherwise, no file is created or changed.
    let isLive: Bool

    /// The maximum number of files, and of folders within folders.
    private static let (maximumCount, maximumDepth) = (200, 4)

    /// Opens all files.
    ///
    /// - Returns: One instance for each file, and another one for the replication of each replica. A file of a folder that can't be opened is
    ///   an instance that says why.
    /// - Throws: ``CommandFailure`` if a file is missing, has another format or can't be opened, if there are no files, or if the key can't be
    ///   read.
    func open() throws -> [any Inspectable] {
        // The key is read first, so that nothing is opened without a valid key.
        _ = try key?.bytes()
        var instances: [any Inspectable] = []
        for path in paths {
            guard let kind = try LocalFileSystem().information(at: path)?.kind else {
                throw CommandFailure.missingFile(path)
            }
            if kind == .directory {
                for file in try files(in: path) where instances.count < Self.maximumCount { instances += shown(file) }
            } else {
                instances += try opened(path)
            }
        }
        guard !instances.isEmpty else {
            throw CommandFailure.notFound("The folder contains no store or database. Check the path.")
        }
        return instances
    }

    /// What this mode touches and can't show.
    var notes: [String] {
        let limits =
            "These are files, so only commits are seen. Rates, latencies, slow queries and issues need the inspector in the program."
        return isLive
            ? [
                limits,
                "Nothing that is stored changes. Following changes touches the control file (.ctl) of a device store and the mark in its header up to which it is synced, and the -shm and -wal files of a database.",
            ]
            : [limits, "This is one moment (--no-trace). No file was touched, and later changes are not shown."]
    }

    // MARK: Folders

    private func files(in folder: String, depth: Int = 0) throws -> [String] {
        var found: [String] = []
        for name in try LocalFileSystem().contentsOfDirectory(at: folder) where !name.hasPrefix(".") {
            let path = FilePath.joining(folder, name)
            // Links are not followed, because they may lead to other folders and back. Files that vanish meanwhile are skipped.
            switch try? LocalFileSystem().information(at: path, followingLinks: false)?.kind {
            case .directory where depth < Self.maximumDepth:
                // A folder without permission is skipped too.
                found += (try? files(in: path, depth: depth + 1)) ?? []
            case .file where InspectedKind(ofFileAt: path) != nil: found.append(path)
            default: break
            }
        }
        return found
    }

    /// Opens a file of a folder.
    ///
    /// If that fails, returns an instance that says why.
    private func shown(_ path: String) -> [any Inspectable] {
        do { return try opened(path) } catch { return [UnreadableFile(path: path, failure: CommandFailure(error))] }
    }

    // MARK: Opening

    private func opened(_ path: String) throws -> [any Inspectable] {
        guard InspectedKind(ofFileAt: path) != .objects else { return [try database(path)] }
        let store = try store(path)
        guard let replicated = try replicated(store) else { return [store] }
        return [replicated, InspectedReplication(replicated)]
    }

    private func store(_ path: String) throws -> any KeyValueStore {
        func open(_ key: EncryptionKeySource?) throws -> any KeyValueStore {
            let opener = StoreOpener(path: path, kind: nil, key: key)
            return try isLive ? opener.openToFollow() : opener.openUntouched()
        }
        // The key is only for encrypted stores, which can't be opened without it.
        do { return try open(nil) } catch let failure as CommandFailure {
            guard let key else { throw failure }
            return try open(key)
        }
    }

    /// Returns the replicated store whose replica is in a store, or `nil` if it is no replica.
    private func replicated(_ store: any KeyValueStore) throws -> ReplicatedStore? {
        guard store is DeviceStore else { return nil }
        do {
            let replicated = try ReplicatedStore(unshared: store, engine: DisconnectedEngine())
            return replicated.freshness.position == nil && replicated.freshness.pending == 0 ? nil : replicated
        } catch let error as StoreError where error.code == .invalidConfiguration {
            return nil
        }
    }

    private func database(_ path: String) throws -> any Inspectable {
        #if Objects
        return try isLive ? ObjectDatabase(reading: path) : ObjectDatabase(readingWithoutTrace: path)
        #else
        throw CommandFailure.usage(
            "This build of larder can't open databases. Build it with `swift build --product larder --traits Command,Inspector,Objects`."
        )
        #endif
    }
}

/// The kinds of file that are found in folders, by their content.
private enum InspectedKind {
    case store, objects

    /// Returns the kind of a file, or `nil` if it is neither a store nor a database, or can't be read.
    init?(ofFileAt path: String) {
        guard let beginning = try? LocalFileSystem().open(path, .reading).read(at: 0, count: 4_096) else { return nil }
        if beginning.starts(with: "SQLite format 3\0".utf8) {
            self = .objects
        } else if StoreKind.ofContent(beginning) != nil {
            self = .store
        } else {
            return nil
        }
    }
}
#endif
