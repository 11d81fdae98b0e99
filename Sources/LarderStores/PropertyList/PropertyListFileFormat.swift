import LarderCore
import LarderFiles

/// The file format of a ``PropertyListStore``, which is a property list whose root is a dictionary.
struct PropertyListFileFormat: WholeFileFormat {
    struct Content: WholeFileContent {
        var table = StoreTable()
        var encoding: PropertyListDocument.Encoding

        mutating func apply(_ batch: StoreBatch) -> StoreTableChange { table.apply(batch) }
    }

    static let name = "property list"
    static let storeType = "PropertyListStore"
    /// The encoding of new files, XML or binary.
    let encoding: PropertyListDocument.Encoding
    var empty: Content { Content(encoding: encoding) }

    func encode(_ content: Content) -> [UInt8] {
        let form = PropertyListForm.file
        return PropertyListDocument.bytes(
            of: StoredDictionary(
                content.table.allEntries.lazy.map { (form.key(for: $0.key.text), form.plain($0.value)) }
            ),
            as: content.encoding
        )
    }

    func decode(_ bytes: [UInt8]) throws -> Content {
        let entries = try PropertyListDocument.entries(of: bytes)
        var content = Content(encoding: PropertyListDocument.encoding(of: bytes))
        for entry in entries {
            let (key, value) = try Self.decode(entry)
            guard content.table[StoreKey(key)] == nil else {
                throw PropertyListForm.damaged("the key occurs in plain and in escaped form", path: [key])
            }
            content.table[StoreKey(key)] = value
        }
        return content
    }

    private static func decode(_ entry: StoredDictionary.Entry) throws -> (key: String, value: StoredValue) {
        let key = try PropertyListForm.file.text(ofKey: entry.key)
        return (key, try PropertyListForm.file.value(ofPlain: entry.value, path: [key]))
    }

    // MARK: - Salvage

    func salvage(_ bytes: [UInt8]) throws -> (content: Content, problems: [StoreVerification.Problem]) {
        let (table, problems) = try Self.entries(in: bytes)
        return (Content(table: table, encoding: PropertyListDocument.encoding(of: bytes)), problems)
    }

    /// Returns the readable entries of a corrupt file, and the problems that were found.
    private static func entries(in bytes: [UInt8]) throws -> (StoreTable, [StoreVerification.Problem]) {
        var table = StoreTable()
        var problems: [StoreVerification.Problem] = []

        func keep(_ entry: StoredDictionary.Entry, offset: Int?) throws {
            do {
                let (key, value) = try decode(entry)
                guard table[StoreKey(key)] == nil else {
                    problems.append(.init("A second value for the same key was discarded.", key: key, offset: offset))
                    return
                }
                table[StoreKey(key)] = value
            } catch let error as StoreError where error.code == .damaged {
                problems.append(.init(error.message, key: error.key, offset: offset))
            }
        }

        do {
            for entry in try PropertyListDocument.entries(of: bytes) { try keep(entry, offset: nil) }
            return (table, problems)
        } catch is DocumentDamage {
            // Below, the entries are read one at a time, so that each failure is reported.
        }
        guard PropertyListDocument.encoding(of: bytes) == .xml else {
            return (table, [.init("The binary property list can't be read, so no entries could be recovered.")])
        }
        var reader = XMLPropertyListReader(bytes)
        guard let root = try? reader.beginRoot(), root.name == "dict", !root.isEmpty else {
            return (table, [.init("The beginning of the property list can't be read.", offset: reader.position)])
        }
        while true {
            let start = reader.position
            do {
                guard let entry = try reader.nextEntry(depth: 0) else { break }
                var single = StoredDictionary()
                single[entry.key] = entry.value
                for entry in single { try keep(entry, offset: start) }
            } catch let damage as DocumentDamage {
                problems.append(.init("An entry can't be read: \(damage.reason).", offset: damage.offset))
                guard let next = nextEntry(in: bytes, after: start) else { break }
                reader = XMLPropertyListReader(bytes, at: next)
            }
        }
        return (table, problems)
    }

    /// Returns the offset of the next entry in the root dictionary, or `nil` if there is none.
    ///
    /// Entries of the root dictionary are recognized by their indentation.
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
