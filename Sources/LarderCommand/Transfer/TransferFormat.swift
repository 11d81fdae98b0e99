import LarderFiles

/// A format for import and export: JSON, or the file format of a store.
enum TransferFormat: String, CaseIterable, Sendable {
    case device
    case propertyList = "plist"
    case sharedPreferences = "shared-preferences"
    case json

    var storeKind: StoreKind? { StoreKind(rawValue: rawValue) }

    /// Returns the format of an existing file, or `nil` if it can't be detected.
    static func ofFile(at path: String) throws -> TransferFormat? {
        guard try LocalFileSystem().isThere(path) else {
            throw CommandFailure.missingFile(path)
        }
        let beginning = try LocalFileSystem().open(path, .reading).read(at: 0, count: 512)
        let first = beginning.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if first == UInt8(ascii: "[") || first == UInt8(ascii: "{") { return .json }
        return try StoreKind.ofFile(at: path).flatMap { TransferFormat(rawValue: $0.rawValue) } ?? ofName(path)
    }

    /// Returns the format for a new file at the path, or `nil` if the file name extension is unknown.
    static func ofName(_ path: String) -> TransferFormat? {
        if path.lowercased().hasSuffix(".json") { return .json }
        return StoreKind.ofName(path).flatMap { TransferFormat(rawValue: $0.rawValue) }
    }

    static func unknown(_ path: String, option: String) -> CommandFailure {
        let formats = allCases.map(\.rawValue).joined(separator: ", ")
        return .usage(
            "The format of \(path.debugDescription) can't be detected. Add \(option) with one of the formats \(formats)."
        )
    }
}
