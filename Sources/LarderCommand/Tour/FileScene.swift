import Foundation
import LarderFiles

/// The storage document's file storage: values that can be coded, a file each.
enum FileScene {
    static func play(in folder: URL, _ tour: TourPrinter) throws {
        try tour.title("File storage keeps an app's settings in files of their own")
        let url = folder.appending(path: "window.plist")
        let storage = PListFileStorage()
        let window = WindowSettings(title: "Orders", width: 640)

        try tour.show(#"storage.write(window, to: url)"#) { try storage.write(window, to: url) }
        try tour.show(#"storage.data(for: url) as WindowSettings"#) { try storage.data(for: url) as WindowSettings }
        try tour.show(#"storage.deleteFile(at: url)"#) { try storage.deleteFile(at: url) }
        try tour.remark("Deleting what is gone is no error; reading it is one, with its path:")
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
