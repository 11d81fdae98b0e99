import LarderDeviceStore
import LarderFiles

/// The kinds of store that are opened by path.
enum StoreKind: String, CaseIterable, Sendable {
    /// A log with an index, for several processes.
    case device
    /// One property list, XML or binary.
    case propertyList = "plist"
    /// Android's `shared_prefs/NAME.xml`.
    case sharedPreferences = "shared-preferences"

    /// What a store of this kind calls itself.
    var inspectionKind: String {
        switch self {
        case .device: "device store"
        case .propertyList: "property list"
        case .sharedPreferences: "shared preferences"
        }
    }

    /// Tells the kind of a file that is there.
    ///
    /// The content decides. A name decides where the content is none that is known, so that a damaged `settings.plist` is
    /// opened, and refused, as what it was.
    static func ofFile(at path: String) throws -> StoreKind? {
        let beginning = try LocalFileSystem().open(path, .reading).read(at: 0, count: 4096)
        return ofContent(beginning) ?? ofName(path)
    }

    /// Tells the kind of a file that is not there yet, by the end of its name.
    static func ofName(_ path: String) -> StoreKind? {
        let name = path.lowercased()
        if name.hasSuffix(".larder") { return .device }
        if name.hasSuffix(".plist") { return .propertyList }
        return name.hasSuffix(".xml") ? .sharedPreferences : nil
    }

    private static func ofContent(_ beginning: [UInt8]) -> StoreKind? {
        // The header of a log has two slots; either may be the one that is left.
        if LogFormat.slotOffsets.contains(where: { beginning.dropFirst($0).starts(with: LogFormat.magic) }) {
            return .device
        }
        if beginning.starts(with: "bplist".utf8) { return .propertyList }
        // The beginning may end within a character: what is cut off becomes U+FFFD.
        let text = String(decoding: beginning, as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        guard let root = text.firstMatch(of: /<(?:!DOCTYPE\s+)?([A-Za-z]+)/), text.hasPrefix("<") else { return nil }
        switch root.1 {
        case "plist": return .propertyList
        case "map": return .sharedPreferences
        default: return nil
        }
    }
}
