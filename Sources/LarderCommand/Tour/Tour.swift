import Foundation
import LarderCore

/// A guided tour of Larder that runs its scenes in sequence in a single folder.
struct Tour {
    let folder: URL
    let console: Console

    /// The shell command that runs the tour in a build with object storage.
    static let commandWithObjects = "swift run --traits Command,Objects larder tour"

    func run() throws {
        let printer = TourPrinter(console: console, folder: folder.path)
        try console.print(
            "This tour of Larder runs in \(folder.path.debugDescription) and prints each call with its result."
        )
        try DataSourceScene.play(in: folder, printer)
        try KotlinScene.play(in: folder, printer)
        try DefaultsScene.play(in: folder, printer)
        try FileScene.play(in: folder, printer)
        try StoreScene.play(in: folder, printer)
        #if Objects
        try ObjectScene.play(in: folder, printer)
        #else
        try printer.title("Object storage keeps objects that refer to one another")
        try printer.remark(
            "This build omits object storage, because its macros take minutes to compile. To see it, run:"
        )
        try printer.remark(Self.commandWithObjects)
        #endif
        try MigrationScene.play(in: folder, printer)
        try DamageScene.play(in: folder, printer)
        try CrashScene.play(in: folder, printer)
        try console.print("")
        try console.print(TourPrinter.lastLine)
    }

    /// Throws an error that ends the tour if `holds` is `false`.
    static func check(_ holds: Bool, _ otherwise: @autoclosure () -> String) throws {
        guard holds else { throw CommandFailure.storage("The tour failed: \(otherwise()). Please report this.") }
    }
}
