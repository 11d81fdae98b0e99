public import Foundation
import LarderCore
import Synchronization

/// A property list file that contains one `Codable` value, such as an app's settings.
///
/// - Every read returns the current content of the file, regardless of which instance or process wrote it. If the file is unchanged, a read
///   costs one system call. Writers exclude one another with a lock file next to the file (`NAME.lock`), so no update is lost.
/// - If there is no file, the value equals the defaults. Required fields that an older version of the app did not write are taken from the
///   defaults. Updates keep top-level fields that the type does not declare, because a newer version of the app may have written them.
/// - If the file can't be decoded as the type, or nests arrays and dictionaries more than 128 levels deep, every call throws an error, and
///   the file is never overwritten.
///
/// Instances are thread-safe. Calls block the current thread on disk I/O. A write waits for other writers for up to five seconds.
public final class SettingsFile<Value: Codable & Sendable>: Sendable {
    let path: String
    let hub: SettingsHub
    let defaults: Value
    private let format: PListFormat
    private let fileSystem: any FileSystem
    private let cached = Mutex<CachedSettings<Value>?>(nil)

    /// Creates an instance for the settings file at `url`, without reading or creating the file.
    ///
    /// - Parameters:
    ///   - url: The URL of the file. The first write creates its folder, which only the owner can access.
    ///   - defaults: The value to use if there is no file.
    ///   - format: The format of written files. Files in either format can be read. XML rounds dates to seconds.
    /// - Throws: ``FileError`` if the URL is not a file URL.
    public convenience init(_ url: URL, defaults: Value, format: PListFormat = .binary) throws {
        try self.init(path: try url.filePath(for: .open), defaults: defaults, format: format, on: .local)
    }

    package init(
        path: String,
        defaults: Value,
        format: PListFormat = .binary,
        on fileSystem: any FileSystem
    ) throws {
        self.path = try fileSystem.resolvingLinks(in: path)
        self.defaults = defaults
        self.format = format
        self.fileSystem = fileSystem
        hub = SettingsHub.shared(for: self.path)
    }

    /// Reads the current value from the file.
    ///
    /// - Returns: The value, or the defaults if there is no file.
    /// - Throws: ``FileError`` if the file can't be read or decoded.
    public func value() throws -> Value {
        let (settings, isNew) = try current()
        if isNew { hub.notify() }
        return settings?.value ?? defaults
    }

    /// Returns the current value of a single setting.
    ///
    /// - Parameter part: The key path of the setting, which may be nested.
    /// - Returns: The value of the setting.
    /// - Throws: ``FileError`` if the file can't be read or decoded.
    public func value<Part>(for part: KeyPath<Value, Part>) throws -> Part { try value()[keyPath: part] }

    /// Sets a single setting, and preserves all other settings in the file.
    ///
    /// The change is durable when this call returns.
    ///
    /// - Parameters:
    ///   - newValue: The new value of the setting.
    ///   - part: The key path of the setting, which may be nested.
    /// - Throws: ``FileError`` if the file can't be read or written. Nothing is changed in that case.
    public func setValue<Part>(_ newValue: Part, for part: WritableKeyPath<Value, Part>) throws {
        try update { $0[keyPath: part] = newValue }
    }

    /// Reads the settings, changes them with `change`, and writes them to the file, excluding all other writers.
    ///
    /// `change` may read the same file, which contains the previous value until this call returns. If `change` writes to the same file,
    /// through this or another instance, that write throws ``FileError`` with code `nestedUpdate`. `change` must not wait for other threads
    /// or processes that write to the file, because those wait for this call to return.
    ///
    /// - Parameter change: A closure that changes the value in place. If it throws, the file is not changed.
    /// - Returns: The result of `change`. The new value is durable when this call returns.
    /// - Throws: The error that `change` throws, or ``FileError``. The code is `busy` if other writers hold the lock for more than five
    ///   seconds, or `nestedUpdate` if the call is made inside another update of the file.
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
            // The file has been written, so an error of this read is ignored. The next read reports it.
            _ = try? current()
            return result
        }
    }

    /// Resets the settings to the defaults by removing the file.
    ///
    /// The call has no effect if the file does not exist.
    ///
    /// - Throws: ``FileError``, with code `nestedUpdate` if the call is made inside an update of the file. Nothing is changed in that case.
    public func reset() throws {
        guard try fileSystem.information(at: path, followingLinks: true) != nil else { return }
        try hub.updating(path) {
            try LockFile(at: path + ".lock", on: fileSystem).withLock { try fileSystem.removeIfPresent(path) }
        }
    }

    /// Returns the settings in the file, and whether the file has changed since this instance last read it.
    ///
    /// The settings are `nil` if the file does not exist.
    func current() throws -> (settings: CachedSettings<Value>?, isNew: Bool) {
        // The cache is read before the file is checked. If another thread caches a newer file in between, the comparison fails and the file
        // is read again.
        let known = cached.withLock(\.self)
        let found = try fileSystem.information(at: path, followingLinks: true)
        if let known, known.information == found { return (known, false) }
        // Decoding the new value and releasing the former one may run user code, so both happen outside the lock.
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

/// The settings that an instance last read, and the file from which it read them.
struct CachedSettings<Value: Sendable>: Sendable {
    /// The open file.
    ///
    /// Keeping the file open prevents the system from reusing its inode number.
    let file: any OpenFile
    let information: FileInformation
    let value: Value
    /// The parsed property list, including fields that `Value` does not declare.
    let list: StoredValue
}
