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
        let (status, text) = try compile(
            code,
            "6",
            ["-typecheck", "-Xfrontend", "-verify", "-Xfrontend", "-verify-ignore-unrelated"]
        )
        return status == 0 ? "" : "status \(status)\n" + text
    }

    /// The same without regard for the compiler's notes, which for a macro's expansion stand where nothing can be expected.
    ///
    /// With `checkingAccesses` it is compiled far enough that overlapping accesses are found, and uses of what was consumed.
    package static func unexpectedErrors(
        of code: String,
        languageMode: String = "6",
        checkingAccesses: Bool = false
    ) throws -> String {
        let text = try compile(
            code,
            languageMode,
            checkingAccesses ? ["-emit-sil", "-o", "/dev/null"] : ["-typecheck"]
        )
        .text
        var missing: [Int: [Substring]] = [:]
        for (number, line) in code.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let expected = line.matches(of: /expected-(?:error|warning) \{\{(.*?)\}\}/).map(\.1)
            if !expected.isEmpty { missing[number + 1] = expected }
        }
        let expected = missing
        var unexpected = ""
        for match in text.matches(of: /Code\.swift:([0-9]+):[0-9]+: (?:error|warning): ([^\n]*)/) {
            let line = Int(match.1) ?? 0
            if expected[line, default: []].contains(where: { match.2.contains($0) }) {
                missing[line]?.removeAll { match.2.contains($0) }
            } else {
                unexpected += match.0 + "\n"
            }
        }
        for (line, messages) in missing { for message in messages { unexpected += "line \(line) lacks: \(message)\n" } }
        return unexpected
    }

    /// What the compiler says about a piece of code.
    package static func diagnostics(of code: String, languageMode: String = "6") throws -> String {
        try compile(code, languageMode, ["-typecheck"]).text
    }

    private static func compile(
        _ code: String,
        _ languageMode: String,
        _ arguments: [String]
    ) throws -> (status: Int32, text: String) {
        let folder = try TemporaryDirectory()
        let source = folder.url("Code.swift")
        try Data(code.utf8).write(to: source)
        let output = Pipe()
        let process = Process()
        process.executableURL = compiler
        process.arguments =
            [
                "-parse-as-library", "-swift-version", languageMode, "-I", modules?.path ?? "",
                source.path,
            ] + arguments + moduleMaps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
            + (macros.map { ["-load-plugin-executable", "\($0.path)#LarderObjectsMacros"] } ?? [])
        // What the program of the macros counts, when it was built for coverage, is nobody's.
        process.environment = ProcessInfo.processInfo.environment.merging(["LLVM_PROFILE_FILE": "/dev/null"]) { $1 }
        process.standardError = output
        process.standardOutput = output
        try process.start()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    /// Where SwiftPM put the modules: beside the test program.
    private static let modules: URL? = {
        let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "Modules")
        return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }()

    /// The program that expands the macros of object storage, when they were built.
    private static let macros: URL? = {
        guard let program = modules?.deletingLastPathComponent().appending(path: "LarderObjectsMacros-tool") else {
            return nil
        }
        return FileManager.default.isExecutableFile(atPath: program.path) ? program : nil
    }()

    /// Whether code that uses the macros of object storage can be compiled too.
    package static let hasMacros: Bool = isPossible && macros != nil

    /// Those of the C targets, which modules that import them ask for; that of SQLite lies with the package that has it.
    private static let moduleMaps: [URL] = {
        guard let products = modules?.deletingLastPathComponent().resolvingSymlinksInPath() else { return [] }
        let folders = try? FileManager.default.contentsOfDirectory(at: products, includingPropertiesForKeys: nil)
        let sqlite = products.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "checkouts/GRDB.swift/Sources/GRDBSQLite")
        return
            ((folders ?? []).filter { $0.pathExtension == "build" && !$0.lastPathComponent.hasSuffix("-tool.build") }
            + [sqlite])
            .map { $0.appending(path: "module.modulemap") }
            .filter { FileManager.default.fileExists(atPath: $0.path) }
    }()

    private static let compiler: URL? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { URL(filePath: String($0)).appending(path: "swiftc") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
}
