import LarderDeviceStore
import LarderFiles

/// The kinds of store that `larder` can open by path.
enum StoreKind: String, CaseIterable, Sendable {
    /// A device store, which several processes can share.
    case device
    /// A store in a single property list file, in XML or binary format.
    case propertyList = "plist"
    /// A store in an Android shared preferences file, `shared_prefs/NAME.xml`.
    case sharedPreferences = "shared-preferences"

    /// The value of `KeyValueStore.inspectionKind` for stores of this kind.
    var inspectionKind: String {
        switch self {
        case .device: "device store"
        case .propertyList: "property list"
        case .sharedPreferences: "shared preferences"
        }
    }

    /// Returns the kind of store in an existing file, or `nil` if it can't be detected.
    ///
    /// The content of the file takes precedence over its name. If the content is not recognized, the kind is detected from the name.
    static func ofFile(at path: String) throws -> StoreKind? {
        let beginning = try LocalFileSystem().open(path, .reading).read(at: 0, count: 4096)
        return ofContent(beginning) ?? ofName(path)
    }

    /// Returns the kind of store for a file name extension, or `nil` if the extension is unknown.
    static func ofName(_ path: String) -> StoreKind? {
        let name = path.lowercased()
        if name.hasSuffix(".larder") { return .device }
        if name.hasSuffix(".plist") { return .propertyList }
        return name.hasSuffix(".xml") ? .sharedPreferences : nil
    }

    /// Returns the kind of store in a file that begins with the given bytes, or `nil` if they are of another format.
    static func ofContent(_ beginning: [UInt8]) -> StoreKind? {
        // A log's header has two slots, and either may be the only valid one.
        if LogFormat.slotOffsets.contains(where: { beginning.dropFirst($0).starts(with: LogFormat.magic) }) {
            return .device
        }
        if beginning.starts(with: "bplist".utf8) { return .propertyList }
        // If the read bytes end within a character, that character is decoded as U+FFFD.
        let text = String(decoding: beginning, as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        guard let root = text.firstMatch(of: /<(?:!DOCTYPE\s+)?([A-Za-z]+)/), text.hasPrefix("<") else { return nil }
        switch root.1 {
        case "plist": return .propertyList
        case "map": return .sharedPreferences
        default: return nil
        }
    }
}
