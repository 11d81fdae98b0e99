public import Foundation
import LarderCore
import Synchronization

/// One Codable value, such as an app's settings, in one property list.
///
/// - Every read is of what the file holds now, whichever instance or process wrote it, at the price of asking the file system
///   whether the file is still the same. Writers exclude one another by a lock file beside it (`NAME.lock`), so that no
///   update is lost.
/// - Without a file, the value is the defaults. A file that lacks a key which the type requires, since an older version wrote
///   it, gets that key from the defaults. Keys that the type does not know, since a newer version wrote them, are kept by
///   every update; this goes for the top level, not inside nested values.
/// - A file that can't be read as the type throws on every call, and is never overwritten. So does one in which arrays and
///   dictionaries nest more than 128 deep.
///
/// May be used from any thread. Calls block for the time the disk takes; a write waits up to five seconds for others.
public final class SettingsFile<Value: Codable & Sendable>: Sendable {
    let path: String
    let hub: SettingsHub
    let defaults: Value
    private let format: PropertyListFormat
    private let fileSystem: any FileSystem
    private let cached = Mutex<CachedSettings<Value>?>(nil)

    /// Settings in a file.
    ///
    /// Nothing is read or created yet.
    ///
    /// - Parameters:
    ///   - url: The file. Its folder is created, for the owner only, by the first write.
    ///   - defaults: The value as long as there is no file.
    ///   - format: What is written; either is read. XML keeps dates to the second only.
    /// - Throws: ``FileError`` when the URL is no file's.
    public convenience init(_ url: URL, defaults: Value, format: PropertyListFormat = .binary) throws {
        try self.init(path: try url.filePath(for: .open), defaults: defaults, format: format, on: .local)
    }

    package init(
        path: String,
        defaults: Value,
        format: PropertyListFormat = .binary,
        on fileSystem: any FileSystem
    ) throws {
        self.path = try fileSystem.resolvingLinks(in: path)
        self.defaults = defaults
        self.format = format
        self.fileSystem = fileSystem
        hub = SettingsHub.shared(for: self.path)
    }

    /// The whole value, as the file has it now.
    ///
    /// - Returns: The value, or the defaults when there is no file.
    /// - Throws: ``FileError``; the file is left as it is.
    public func value() throws -> Value {
        let (settings, isNew) = try current()
        if isNew { hub.notify() }
        return settings?.value ?? defaults
    }

    /// One part of the value, as the file has it now.
    ///
    /// - Parameter part: Which.
    /// - Returns: The part.
    /// - Throws: ``FileError``; the file is left as it is.
    public func value<Part>(for part: KeyPath<Value, Part>) throws -> Part { try value()[keyPath: part] }

    /// Sets one part of the value and leaves the others as the file has them.
    ///
    /// It survives power loss when the call returns.
    ///
    /// - Parameters:
    ///   - newValue: The new part.
    ///   - part: Which.
    /// - Throws: ``FileError``; nothing was changed.
    public func setValue<Part>(_ newValue: Part, for part: WritableKeyPath<Value, Part>) throws {
        try update { $0[keyPath: part] = newValue }
    }

    /// Changes the value, starting from what the file has now; no other writer comes between.
    ///
    /// `change` may read the same file, which has the earlier value until this returns. A write to the same file that `change` makes by
    /// this or another instance throws ``FileError`` with code `nestedUpdate`. Other threads and processes that write wait meanwhile, so
    /// `change` must not wait for them.
    ///
    /// - Parameter change: Changes the value in place. When it throws, nothing changes.
    /// - Returns: What `change` returned. The new value then survives power loss.
    /// - Throws: ``FileError``, `busy` when others hold the file for more than five seconds, `nestedUpdate` inside another update of the
    ///   file; or what `change` throws.
    @discardableResult
    public func update<Result>(_ change: (inout Value) throws -> Result) throws -> Result {
        try hub.updating(path) {
            try fileSystem.createDirectory(at: FilePath.folder(of: path))
            let result = try LockFile(at: path + ".lock", on: fileSystem).withLock {
                let before = try current().settings
                var value = before?.value ?? defaults
                let result = try change(&value)
                let content = try SettingsCoding.encode(value, after: before, format, path)
                try fileSystem.replaceContents(of: path, with: content)
                return result
            }
            // Written it is. Whoever asks for the value reads the file again, and is told should that fail.
            _ = try? current()
            return result
        }
    }

    /// Removes the file: the value is the defaults again.
    ///
    /// - Throws: ``FileError``, `nestedUpdate` inside an update of the file; nothing was changed. It is no error when there is no file.
    public func reset() throws {
        guard try fileSystem.information(at: path, followingLinks: true) != nil else { return }
        try hub.updating(path) {
            try LockFile(at: path + ".lock", on: fileSystem).withLock { try fileSystem.removeIfPresent(path) }
        }
    }

    /// What the file holds, and whether that is news to this instance.
    func current() throws -> (settings: CachedSettings<Value>?, isNew: Bool) {
        // Asked first: an earlier value that another thread puts in place meanwhile is of another file, and is read again.
        let known = cached.withLock(\.self)
        let found = try fileSystem.information(at: path, followingLinks: true)
        if let known, known.information == found { return (known, false) }
        // Decoded, and the former value released, outside the lock: both run the user's code.
        let read = found == nil ? nil : try read()
        let former = cached.withLock { cached in
            defer { cached = read }
            return cached
        }
        return (read, read != nil || former != nil)
    }

    private func read() throws -> CachedSettings<Value>? {
        let file: any OpenFile
        do {
            file = try fileSystem.open(path, .reading)
        } catch let error as FileError where error.code == .notFound {
            return nil
        }
        let information = try file.information()
        let content = Data(try file.read(at: 0, count: information.size))
        let (value, list) = try SettingsCoding.decode(Value.self, from: content, defaults: defaults, path)
        return CachedSettings(file: file, information: information, value: value, list: list)
    }
}

/// What was read, and of which file.
struct CachedSettings<Value: Sendable>: Sendable {
    /// Kept open, so that the number by which the file is recognised can't become another file's.
    let file: any OpenFile
    let information: FileInformation
    let value: Value
    /// What the file holds, with the fields that `Value` does not know.
    let list: StoredValue
}
