import Foundation
package import LarderFiles

extension SimulatedFileSystem {
    package func open(_ path: String, _ mode: FileOpenMode) throws -> any OpenFile {
        let path = Self.normalized(path)
        return try locked {
            try begin(.open, path)
            if path.utf8.contains(0) { throw FileError(.invalidPath, .open, path) }
            if directories.contains(path) { throw FileError(.wrongKind, .open, path, errno: EISDIR) }
            if let node = entries[path] {
                if mode.creation == .always { throw FileError(errno: EEXIST, .open, path) }
                return SimulatedFile(node, path, mode, on: self)
            }
            guard mode.creation != .never, directories.contains(FilePath.folder(of: path)) else {
                throw FileError(errno: ENOENT, .open, path)
            }
            let node = SimulatedNode(inode: nextInode, bytes: [], permissions: mode.permissions)
            nextInode += 1
            entries[path] = node
            record(.create(path, node.inode, mode.permissions))
            node.modified = clock
            return SimulatedFile(node, path, mode, on: self)
        }
    }

    package func information(at path: String, followingLinks: Bool) throws -> FileInformation? {
        let path = Self.normalized(path)
        return try locked {
            try begin(.inspect, path)
            if directories.contains(path) {
                return FileInformation(kind: .directory, size: 0, device: 1, inode: 0, permissions: 0o700, modified: 0)
            }
            return entries[path]?.information
        }
    }

    package func createDirectory(at path: String) throws {
        let path = Self.normalized(path)
        try locked {
            try begin(.createDirectory, path)
            var folder = path
            while !directories.contains(folder) {
                if entries[folder] != nil { throw FileError(errno: ENOTDIR, .createDirectory, folder) }
                directories.insert(folder)
                record(.createDirectory(folder))
                folder = FilePath.folder(of: folder)
            }
        }
    }

    package func contentsOfDirectory(at path: String) throws -> [String] {
        let path = Self.normalized(path)
        return try locked {
            try begin(.inspect, path)
            guard directories.contains(path) else { throw FileError(errno: ENOENT, .inspect, path) }
            let inside = Set(entries.keys).union(directories).subtracting(["/", "."])
                .filter { FilePath.folder(of: $0) == path }
            return inside.map(FilePath.name).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
    }

    package func rename(_ source: String, to destination: String) throws {
        try rename(source, to: destination, isExclusive: false)
    }

    package func renameExclusively(_ source: String, to destination: String) throws {
        try rename(source, to: destination, isExclusive: true)
    }

    private func rename(_ source: String, to destination: String, isExclusive: Bool) throws {
        let source = Self.normalized(source)
        let destination = Self.normalized(destination)
        try locked {
            try begin(.rename, source)
            guard let node = entries[source], directories.contains(FilePath.folder(of: destination)) else {
                throw FileError(errno: ENOENT, .rename, source)
            }
            if isExclusive, directories.contains(destination) || entries[destination] != nil {
                throw FileError(errno: EEXIST, .rename, source)
            }
            if directories.contains(destination) { throw FileError(errno: EISDIR, .rename, source) }
            entries[source] = nil
            entries[destination] = node
            record(.rename(source, destination, node.inode))
        }
    }

    package func remove(_ path: String) throws {
        let path = Self.normalized(path)
        try locked {
            try begin(.remove, path)
            if directories.contains(path) { throw FileError(errno: EISDIR, .remove, path) }
            guard let node = entries.removeValue(forKey: path) else { throw FileError(errno: ENOENT, .remove, path) }
            record(.remove(path, node.inode))
        }
    }

    package func synchronizeDirectory(at path: String) throws {
        let path = Self.normalized(path)
        try locked {
            try begin(.synchronize, path)
            guard directories.contains(path) else { throw FileError(errno: ENOENT, .synchronize, path) }
            record(.synchronizeDirectory(path))
        }
    }

    package func resolvingLinks(in path: String) throws -> String {
        let path = Self.normalized(path)
        try locked { try begin(.inspect, path) }
        return path
    }

    package func volume(at path: String) throws -> VolumeInformation {
        let path = Self.normalized(path)
        return try locked {
            try begin(.inspect, path)
            guard directories.contains(path) || entries[path] != nil else {
                throw FileError(errno: ENOENT, .inspect, path)
            }
            return pretendedVolume
        }
    }

    package func watch(_ path: String, _ onChange: @escaping @Sendable () -> Void) throws -> FileWatch {
        throw FileError(.unsupported, .watch, path)
    }

    package func bootIdentifier() throws -> String {
        guard locked({ knowsBoots }) else { throw FileError(.unsupported, .inspect, "/") }
        return "boot \(bootNumber)"
    }
}
