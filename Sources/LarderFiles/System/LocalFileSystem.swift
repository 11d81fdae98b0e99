/// The file system of the local machine, accessed through system calls.
package struct LocalFileSystem: FileSystem {
    package init() {}

    package func open(_ path: String, _ mode: FileOpenMode) throws -> any OpenFile {
        try LocalFile(path, mode)
    }

    package func information(at path: String, followingLinks: Bool = true) throws -> FileInformation? {
        try calling(.inspect, path) { path throws(SystemCalls.Failure) in
            try SystemCalls.information(at: path, followingLinks: followingLinks)
        }
    }

    package func createDirectory(at path: String) throws {
        var missing: [String] = []
        var folder = path
        while true {
            if let found = try information(at: folder) {
                guard found.kind == .directory else { throw FileError(.wrongKind, .createDirectory, folder) }
                break
            }
            missing.append(folder)
            let parent = FilePath.folder(of: folder)
            if parent == folder { break }
            folder = parent
        }
        for folder in missing.reversed() {
            let isNew = try calling(.createDirectory, folder) { path throws(SystemCalls.Failure) in
                try SystemCalls.makeDirectory(path)
            }
            // Another process may have created the folder and not yet synced the parent folder, so the parent is always synced.
            if !isNew, try information(at: folder)?.kind != .directory {
                throw FileError(.wrongKind, .createDirectory, folder)
            }
            try synchronizeDirectory(at: FilePath.folder(of: folder))
        }
    }

    package func contentsOfDirectory(at path: String) throws -> [String] {
        let names = try calling(.inspect, path) { path throws(SystemCalls.Failure) in
            try SystemCalls.contentsOfDirectory(path)
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    package func rename(_ source: String, to destination: String) throws {
        if destination.utf8.contains(0) { throw FileError.containsNull(destination, .rename) }
        try calling(.rename, source) { path throws(SystemCalls.Failure) in
            try SystemCalls.rename(path, to: destination)
        }
    }

    package func renameExclusively(_ source: String, to destination: String) throws {
        if destination.utf8.contains(0) { throw FileError.containsNull(destination, .rename) }
        do {
            try calling(.rename, source) { path throws(SystemCalls.Failure) in
                try SystemCalls.renameExclusively(path, to: destination)
            }
        } catch let error as FileError where error.code == .unsupported {
            guard try information(at: destination, followingLinks: false) == nil else {
                throw FileError(.alreadyExists, .rename, destination)
            }
            try rename(source, to: destination)
        }
    }

    package func remove(_ path: String) throws {
        try calling(.remove, path) { path throws(SystemCalls.Failure) in try SystemCalls.remove(path) }
    }

    package func synchronizeDirectory(at path: String) throws {
        // The folder is opened in a separate step, so that a failure to open it is not reported as a failed sync.
        let descriptor = try calling(.open, path) { path throws(SystemCalls.Failure) in
            try SystemCalls.openDirectory(path)
        }
        // Nothing is written through the descriptor, so a failure to close it is ignored.
        defer { try? SystemCalls.close(descriptor) }
        try calling(.synchronize, path) { _ throws(SystemCalls.Failure) in
            try SystemCalls.synchronizeDirectory(descriptor)
        }
    }

    package func resolvingLinks(in path: String) throws -> String {
        var path = path
        for _ in 0..<Self.maximumLinks {
            if let resolved = try realPath(path) { return resolved }
            guard try information(at: path, followingLinks: false)?.kind == .link else {
                // The file or its folder is missing. A missing folder is reported when the file is opened.
                let folder = FilePath.folder(of: path)
                return try realPath(folder).map { FilePath.joining($0, FilePath.name(of: path)) } ?? path
            }
            let target = try calling(.inspect, path) { path throws(SystemCalls.Failure) in
                try SystemCalls.targetOfLink(path)
            }
            path = FilePath.joining(FilePath.folder(of: path), target)
        }
        throw FileError(.wrongKind, .inspect, path, detail: "there are too many levels of symbolic links")
    }

    package func volume(at path: String) throws -> VolumeInformation {
        try calling(.inspect, path) { path throws(SystemCalls.Failure) in try SystemCalls.volume(at: path) }
    }

    /// The cached boot identifier of the operating system, or `nil` if the first attempt to read it failed.
    ///
    /// The identifier does not change while a process runs. If it is `nil`, each call to ``bootIdentifier()`` tries to read it again.
    private static let knownBootIdentifier = try? readBootIdentifier()

    package func watch(_ path: String, _ onChange: @escaping @Sendable () -> Void) throws -> FileWatch {
        try FileWatcher.shared.watch(path, onChange)
    }

    package func bootIdentifier() throws -> String { try Self.knownBootIdentifier ?? Self.readBootIdentifier() }

    private static func readBootIdentifier() throws -> String {
        if let identifier = SystemCalls.bootIdentifier { return identifier }
        let path = "/proc/sys/kernel/random/boot_id"
        do {
            // The file reports size 0, but has 37 bytes.
            let content = try LocalFile(path, .reading).read(at: 0, count: 64)
            if !content.isEmpty { return String(decoding: content.filter { $0 > 32 }, as: UTF8.self) }
        } catch let error as FileError where error.code == .notFound {}
        throw FileError(.unsupported, .inspect, path)
    }

    private static let maximumLinks = 40

    private func realPath(_ path: String) throws -> String? {
        try calling(.inspect, path) { path throws(SystemCalls.Failure) in try SystemCalls.realPath(path) }
    }

    private func calling<Result>(
        _ operation: FileError.Operation,
        _ path: String,
        _ body: (String) throws(SystemCalls.Failure) -> Result
    ) throws -> Result {
        if path.utf8.contains(0) { throw FileError.containsNull(path, operation) }
        do {
            return try body(path)
        } catch {
            throw FileError(errno: error.number, operation, path)
        }
    }
}

extension FileSystem where Self == LocalFileSystem {
    /// The file system of the local machine.
    package static var local: LocalFileSystem { LocalFileSystem() }
}
