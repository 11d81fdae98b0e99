import Foundation

/// Compiles a piece of code against the modules of this build and compares the compiler's diagnostics with the expected ones.
///
/// Expected ones stand in the code, as the Swift compiler's own tests have them: `// expected-error {{part of the message}}` at
/// the end of the line. Takes a tenth of a second a piece.
package enum CompilerCheck {
    /// Whether the modules and the compiler are where they can be found.
    package static let isPossible: Bool = modules != nil && compiler != nil

    /// What the compiler said that was not expected, and what was expected and not said; empty when all is as it should be.
    package static func unexpectedDiagnostics(of code: String) throws -> String {
        let folder = try TemporaryDirectory()
        let source = folder.url("Code.swift")
        try Data(code.utf8).write(to: source)
        let output = Pipe()
        let process = Process()
        process.executableURL = compiler
        process.arguments =
            [
                "-typecheck", "-parse-as-library", "-swift-version", "6", "-I", modules?.path ?? "", source.path,
                "-Xfrontend", "-verify", "-Xfrontend", "-verify-ignore-unrelated",
            ] + moduleMaps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
        process.standardError = output
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 ? "" : "status \(process.terminationStatus)\n" + text
    }

    /// Where SwiftPM put the modules: beside the test program.
    private static let modules: URL? = {
        let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "Modules")
        return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }()

    /// Those of the C targets, which modules that import them ask for.
    private static let moduleMaps: [URL] = {
        guard let products = modules?.deletingLastPathComponent() else { return [] }
        let folders = try? FileManager.default.contentsOfDirectory(at: products, includingPropertiesForKeys: nil)
        return (folders ?? []).filter { $0.pathExtension == "build" && !$0.lastPathComponent.hasSuffix("-tool.build") }
            .map { $0.appending(path: "module.modulemap") }
            .filter { FileManager.default.fileExists(atPath: $0.path) }
    }()

    private static let compiler: URL? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { URL(filePath: String($0)).appending(path: "swiftc") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
}
