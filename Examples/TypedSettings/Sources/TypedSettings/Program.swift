import Foundation
import LarderCore
import LarderDefaults
import LarderDeviceStore

/// A command-line program that shows and changes settings in a file.
@main struct Program {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { return usage() }
        let settings = DefaultsAdapter(store: try DeviceStore(path: arguments[1]), keyStore: Settings())
        switch arguments[2] {
        case "show": show(settings)
        case "set" where arguments.count == 5: try set(settings, arguments[3], arguments[4])
        case "count": try count(settings)
        default: usage()
        }
    }

    private static func show(_ settings: DefaultsAdapter<Settings>) {
        print("theme        \(settings.theme)")
        print("volume       \(settings.volume)")
        print("userName     \(settings.userName ?? "not set")")
        print("recentFiles  \(settings.recentFiles.map(\.path).joined(separator: ", "))")
        print("window       \(settings.window.width) x \(settings.window.height)")
        print("launchCount  \(settings.launchCount)")
    }

    private static func set(_ settings: DefaultsAdapter<Settings>, _ name: String, _ value: String) throws {
        switch name {
        case "theme":
            guard let theme = Theme(rawValue: value) else { return usage() }
            try settings.write(\.theme, theme)
        case "volume":
            guard let volume = Double(value) else { return usage() }
            try settings.write(\.volume, volume)
        case "userName": try settings.write(\.userName, value)
        case "width":
            guard let width = Int(value) else { return usage() }
            try settings.modify(\.window) { $0.width = width }
        case "recentFile":
            try settings.modify(\.recentFiles) { $0 = [URL(filePath: value)] + $0.prefix(9) }
        default: usage()
        }
    }

    /// Increments `launchCount` until the process is killed, and prints each number after it is stored.
    private static func count(_ settings: DefaultsAdapter<Settings>) throws {
        while true {
            let number = try settings.modify(\.launchCount) { count in
                count += 1
                return count
            }
            FileHandle.standardOutput.write(Data("\(number)\n".utf8))
        }
    }

    private static func usage() {
        FileHandle.standardError.write(Data("Usage: TypedSettings FILE show | set NAME VALUE | count\n".utf8))
        exit(64)
    }
}
