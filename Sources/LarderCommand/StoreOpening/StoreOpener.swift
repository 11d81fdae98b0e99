import Foundation
import LarderCore
import LarderDeviceStorage
import LarderStores

/// Opens the store that the command line names; no other code of Larder opens one by path and content.
struct StoreOpener {
    /// The file; `nil` means the device storage.
    let path: String?
    /// What the user says the file is.
    let kind: StoreKind?

    /// Opens a store that must be there: a mistyped path is not answered with an empty listing.
    func openExisting() throws -> any KeyValueStore {
        guard let path else { return DeviceStorage.standard }
        return try Self.open(path, kind: kindOfExisting())
    }

    /// Opens a store whose file may come into being with the first value.
    func openOrCreate() throws -> any KeyValueStore {
        guard let path else { return DeviceStorage.standard }
        guard !FileManager.default.fileExists(atPath: path) else { return try openExisting() }
        guard let kind = kind ?? StoreKind.ofName(path) else { throw Self.unknownKind(path) }
        return try Self.open(path, kind: kind)
    }

    /// The kind of the file that must be there.
    func kindOfExisting() throws -> StoreKind {
        guard let path else {
            throw CommandFailure.usage("The device storage is no file that larder chose: add --store.")
        }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CommandFailure.notFound("There is no file at \(path).")
        }
        guard !isFolder.boolValue else { throw CommandFailure.usage("\(path) is a folder: give the path of a store.") }
        if let kind { return kind }
        guard let found = try StoreKind.ofFile(at: path) else { throw Self.unknownKind(path) }
        return found
    }

    private static func open(_ path: String, kind: StoreKind) throws -> any KeyValueStore {
        switch kind {
        case .propertyList: try PropertyListStore(path: path)
        }
    }

    private static func unknownKind(_ path: String) -> CommandFailure {
        let kinds = StoreKind.allCases.map { "--kind \($0.rawValue)" }.joined(separator: " or ")
        return .usage("Neither the name nor the content of \(path) says what kind of store it is: add \(kinds).")
    }
}
