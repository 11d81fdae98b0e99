import Foundation
import LarderCore

/// The documents' scenarios, one after the other, in a folder of their own.
struct Tour {
    let folder: URL
    let console: Console

    /// Shows the tour with the scene that needs a trait of its own.
    static let commandWithObjects = "swift run --traits Command,Objects larder tour"

    func run() throws {
        let printer = TourPrinter(console: console, folder: folder.path)
        try console.print("A tour of Larder, in \(folder.path): each call, and what it returned.")
        try DataSourceScene.play(in: folder, printer)
        try KotlinScene.play(in: folder, printer)
        try DefaultsScene.play(in: folder, printer)
        try FileScene.play(in: folder, printer)
        try StoreScene.play(in: folder, printer)
        #if Objects
        try ObjectScene.play(in: folder, printer)
        #else
        try printer.title("Object storage keeps objects that refer to one another")
        try printer.remark("It is not in this build, because its macros take some minutes to compile. To see it:")
        try printer.remark(Self.commandWithObjects)
        #endif
        try MigrationScene.play(in: folder, printer)
        try DamageScene.play(in: folder, printer)
        try CrashScene.play(in: folder, printer)
        try console.print("")
        try console.print(TourPrinter.lastLine)
    }

    /// A promise of the tour that did not hold ends it, with a status that is not 0.
    static func check(_ holds: Bool, _ otherwise: @autoclosure () -> String) throws {
        guard holds else { throw CommandFailure.storage("The tour found a broken promise: \(otherwise()).") }
    }
}
