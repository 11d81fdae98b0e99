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

    /// The opened files.
    struct Opened {
        /// One instance for each file, and another one for the replication of each replica.
        ///
        /// A file of a folder that can't be opened is an instance that says why.
        var instances: [any Inspectable] = []
        /// What is not shown, as sentences.
        var notes: [String] = []
    }

    /// Opens all files.
    ///
    /// - Returns: The instances.
    /// - Throws: ``CommandFailure`` if a file is missing, has another format or can't be opened, if there are no files, or if the key can't be
    ///   read.
    func open() throws -> Opened {
        // The key is read first, so that nothing is opened without a valid key.
        _ = try key?.bytes()
        // All files are looked at before the first is opened. A file that is opened and closed once more loses the locks of SQLite.
        var found = FoundFiles(limit: Self.maximumCount)
        for path in paths {
            guard let information = try LocalFileSystem().information(at: path) else {
                throw CommandFailure.missingFile(path)
            }
            switch information.kind {
            case .directory: try collect(path, &found)
            case .file: found.add(path, information, InspectedKind(ofFileAt: path), isNamed: true)
            default:
                throw CommandFailure.usage(
                    "\(path.debugDescription) is neither a file nor a folder. Specify the path of a store or database."
                )
            }
        }
        var opened = Opened()
        for file in found.files { opened.instances += try file.isNamed ? self.opened(file) : shown(file) }
        guard !opened.instances.isEmpty else {
            throw CommandFailure.notFound("The folder contains no store or database. Check the path.")
        }
        if found.isIncomplete {
            opened.notes = [
                "The folders contain more than \(Self.maximumCount) files, of which the first are shown. Specify the others by their paths."
            ]
        }
        return opened
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

    private func collect(_ folder: String, depth: Int = 0, _ found: inout FoundFiles) throws {
        for name in try LocalFileSystem().contentsOfDirectory(at: folder) where !name.hasPrefix(".") {
            guard !found.isIncomplete else { return }
            let path = FilePath.joining(folder, name)
            // Links are not followed, because they may lead to other folders and back. Files that vanish meanwhile are skipped.
            guard let information = try? LocalFileSystem().information(at: path, followingLinks: false) else {
                continue
            }
            switch information.kind {
            // A folder without permission is skipped too.
            case .directory where depth < Self.maximumDepth: try? collect(path, depth: depth + 1, &found)
            case .file:
                guard let kind = InspectedKind(ofFileAt: path) else { continue }
                found.add(path, information, kind, isNamed: false)
            default: break
            }
        }
    }

    /// Opens a file of a folder.
    ///
    /// If that fails, returns an instance that says why.
    private func shown(_ file: FoundFiles.File) -> [any Inspectable] {
        do { return try opened(file) } catch {
            return [UnreadableFile(path: file.path, failure: CommandFailure(error))]
        }
    }

    // MARK: Opening

    private func opened(_ file: FoundFiles.File) throws -> [any Inspectable] {
        guard file.kind != .objects else { return [try database(file.path)] }
        let store = try store(file.path)
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

/// The files that were found, each once even if it has several names.
private struct FoundFiles {
    struct File {
        let path: String
        /// The kind by the content, or `nil` if it is unknown.
        let kind: InspectedKind?
        /// Whether the file itself was specified, and not a folder that contains it.
        let isNamed: Bool
    }

    private struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    let limit: Int
    private(set) var files: [File] = []
    /// Whether there are more files in folders than the limit.
    private(set) var isIncomplete = false
    private var identities: [Identity: Int] = [:]

    init(limit: Int) { self.limit = limit }

    mutating func add(_ path: String, _ information: FileInformation, _ kind: InspectedKind?, isNamed: Bool) {
        let file = File(path: path, kind: kind, isNamed: isNamed)
        let identity = Identity(device: information.device, inode: information.inode)
        if let index = identities[identity] {
            // The errors of a specified file are thrown, even if a folder contains it too.
            if isNamed, !files[index].isNamed { files[index] = file }
        } else if isNamed || files.count < limit {
            identities[identity] = files.count
            files.append(file)
        } else {
            isIncomplete = true
        }
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
