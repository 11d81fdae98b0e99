import LarderFiles

/// What entries are imported from and exported to: the kinds of store, and a JSON text.
enum TransferFormat: String, CaseIterable, Sendable {
    case device
    case propertyList = "plist"
    case sharedPreferences = "shared-preferences"
    case json

    var storeKind: StoreKind? { StoreKind(rawValue: rawValue) }

    /// Of a file that is there.
    static func ofFile(at path: String) throws -> TransferFormat? {
        guard try LocalFileSystem().isThere(path) else {
            throw CommandFailure.notFound("There is no file at \(path).")
        }
        let beginning = try LocalFileSystem().open(path, .reading).read(at: 0, count: 512)
        let first = beginning.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if first == UInt8(ascii: "[") || first == UInt8(ascii: "{") { return .json }
        return try StoreKind.ofFile(at: path).flatMap { TransferFormat(rawValue: $0.rawValue) } ?? ofName(path)
    }

    /// Of a file that is not there yet.
    static func ofName(_ path: String) -> TransferFormat? {
        if path.lowercased().hasSuffix(".json") { return .json }
        return StoreKind.ofName(path).flatMap { TransferFormat(rawValue: $0.rawValue) }
    }

    static func unknown(_ path: String) -> CommandFailure {
        let formats = allCases.map(\.rawValue).joined(separator: ", ")
        return .usage("Neither the name nor the content of \(path) says what it is: say it with one of \(formats).")
    }
}
