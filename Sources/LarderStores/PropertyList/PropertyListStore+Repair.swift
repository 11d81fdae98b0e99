public import LarderCore
import LarderFiles

extension PropertyListStore {
    /// What a repair found and did.
    public struct Repair: Sendable, Hashable, CustomStringConvertible {
        /// The file.
        public let path: String
        /// Where the damaged bytes are now; `nil` when there was no damage and nothing was done.
        public let copiedTo: String?
        /// How many entries the file holds now.
        public let recoveredEntries: Int
        /// What could not be read, with its key and offset where they are known.
        public let problems: [StoreVerification.Problem]

        /// One sentence.
        public var description: String {
            guard let copiedTo else { return "\(path) is not damaged; nothing was done." }
            return
                "\(path) was damaged: it was copied to \(copiedTo), and the \(recoveredEntries) entries that could be read were kept."
        }
    }

    /// Copies a damaged file aside, and puts what can be read of it in its place.
    ///
    /// The copy is `NAME.damaged-1` beside the file, or the next free number; it is on the disk before the file is touched, and
    /// nothing ever removes it. A file without damage, or no file, is left as it is.
    ///
    /// An XML file yields every entry in front of the damage and, if it is laid out as this store or Foundation does, every
    /// whole entry behind it. Of a binary file whose end is damaged nothing can be read.
    ///
    /// - Parameter path: The file.
    /// - Returns: What was found and done.
    /// - Throws: ``StoreError`` when the file cannot be read, or was written by a newer version, or the copy cannot be made:
    ///   then the file is as it was.
    @discardableResult
    public static func repair(path: String) throws -> Repair {
        try repair(path: path, on: .local)
    }

    /// Copies a damaged file aside, and puts what can be read of it in its place, on any file system.
    static func repair(path: String, on fileSystem: any FileSystem) throws -> Repair {
        try PropertyListFile(path: path, encoding: .xml, on: fileSystem, lockLimit: .seconds(5)).repair()
    }
}

extension PropertyListFile {
    func repair() throws -> PropertyListStore.Repair {
        guard try StoreError.wrapping(path, { try fileSystem.information(at: path, followingLinks: true) }) != nil
        else {
            return PropertyListStore.Repair(path: path, copiedTo: nil, recoveredEntries: 0, problems: [])
        }
        return try withCommitLock {
            guard let bytes = try contents()?.bytes else {
                return PropertyListStore.Repair(path: path, copiedTo: nil, recoveredEntries: 0, problems: [])
            }
            do {
                let count = try Self.decode(bytes, path: path).0.count
                return PropertyListStore.Repair(path: path, copiedTo: nil, recoveredEntries: count, problems: [])
            } catch let error as StoreError where error.code == .damaged {
                let salvaged = try Self.salvage(bytes)
                let copy = try StoreError.wrapping(path) {
                    let copy = try copyAside(bytes)
                    let encoding = PropertyListDocument.encoding(of: bytes)
                    try fileSystem.replaceContents(of: path, with: Self.encode(salvaged.table, as: encoding))
                    return copy
                }
                return PropertyListStore.Repair(
                    path: path,
                    copiedTo: copy,
                    recoveredEntries: salvaged.table.count,
                    problems: salvaged.problems
                )
            }
        }
    }

    private func copyAside(_ bytes: [UInt8]) throws -> String {
        var number = 1
        while true {
            let copy = "\(path).damaged-\(number)"
            do {
                let file = try fileSystem.open(
                    copy,
                    FileOpenMode(isWritable: true, creation: .always, followsLinks: false)
                )
                do {
                    try bytes.withUnsafeBytes { try file.write($0, at: 0) }
                    try file.synchronize(.everything)
                    try file.close()
                    try fileSystem.synchronizeDirectory(at: FilePath.folder(of: copy))
                } catch {
                    // Half a copy would look like evidence; the file itself is still there.
                    try? fileSystem.remove(copy)
                    throw error
                }
                return copy
            } catch let error as FileError where error.code == .alreadyExists {
                number += 1
            }
        }
    }

    // MARK: - Salvage

    /// The entries that can be read.
    ///
    /// Throws `newerFormat` rather than drop what a newer version wrote.
    private static func salvage(_ bytes: [UInt8]) throws -> (table: StoreTable, problems: [StoreVerification.Problem]) {
        var table = StoreTable()
        var problems: [StoreVerification.Problem] = []

        func keep(_ entry: StoredDictionary.Entry, offset: Int?) throws {
            do {
                let (key, value) = try decode(entry)
                guard table[StoreKey(key)] == nil else {
                    problems.append(.init("A second value under this key was left out.", key: key, offset: offset))
                    return
                }
                table[StoreKey(key)] = value
            } catch let error as StoreError where error.code == .damaged {
                problems.append(.init(error.message, key: error.key, offset: offset))
            }
        }

        if case .dictionary(let entries)? = try? PropertyListDocument.root(of: bytes) {
            for entry in entries { try keep(entry, offset: nil) }
            return (table, problems)
        }
        guard PropertyListDocument.encoding(of: bytes) == .xml else {
            return (table, [.init("The binary list can't be read, so none of its entries could be kept.")])
        }
        var reader = XMLPropertyListReader(bytes)
        guard let root = try? reader.beginRoot(), root.name == "dict", !root.isEmpty else {
            return (table, [.init("The beginning of the list can't be read.", offset: reader.position)])
        }
        while true {
            let start = reader.position
            do {
                guard let entry = try reader.nextEntry(depth: 0) else { break }
                var single = StoredDictionary()
                single[entry.key] = entry.value
                for entry in single { try keep(entry, offset: start) }
            } catch let damage as PropertyListDamage {
                problems.append(.init("What stands here can't be read: \(damage.reason).", offset: damage.offset))
                guard let next = nextEntry(in: bytes, after: start) else { break }
                reader = XMLPropertyListReader(bytes, at: next)
            }
        }
        return (table, problems)
    }

    /// Where the next entry of the root begins, told by its indentation.
    private static func nextEntry(in bytes: [UInt8], after position: Int) -> Int? {
        let mark = Array("\n\t<key>".utf8)
        var index = position + 1
        while index + mark.count <= bytes.count {
            if bytes[index..<(index + mark.count)].elementsEqual(mark) { return index }
            index += 1
        }
        return nil
    }
}
