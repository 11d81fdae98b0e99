import Foundation
import LarderFiles

/// The section of the tour that demonstrates file storage, with one file for each `Codable` value.
enum FileScene {
    static func play(in folder: URL, _ tour: TourPrinter) throws {
        try tour.title("File storage writes each Codable value to its own file")
        let url = folder.appending(path: "window.plist")
        let storage = PListFileStorage()
        let window = WindowSettings(title: "Orders", width: 640)

        try tour.show(#"storage.write(window, to: url)"#) { try storage.write(window, to: url) }
        try tour.show(#"storage.data(for: url) as WindowSettings"#) { try storage.data(for: url) as WindowSettings }
        try tour.show(#"storage.deleteFile(at: url)"#) { try storage.deleteFile(at: url) }
        try tour.remark("Deleting a missing file has no effect, but reading it throws an error with its path:")
        try tour.show(#"storage.deleteFile(at: url)"#) { try storage.deleteFile(at: url) }
        try tour.showError(#"storage.data(for: url) as WindowSettings"#) {
            try storage.data(for: url) as WindowSettings
        }
    }
}

private struct WindowSettings: Codable, CustomStringConvertible {
    let title: String
    let width: Int
    var description: String { "WindowSettings(title: \(title.debugDescription), width: \(width))" }
}
