import Foundation

/// A namespace for functions that compile code against the modules of this build and check the compiler's diagnostics.
///
/// The code marks expected diagnostics as the Swift compiler's own tests do, with `// expected-error {{part of the message}}` at the end of
/// the line. A check takes a tenth of a second.
package enum CompilerCheck {
    /// Whether code can be compiled, which requires the modules of this build and a Swift compiler.
    package static let isPossible: Bool = modules != nil && compiler != nil

    /// Returns a list of the unexpected and the missing diagnostics for `code`, or an empty string if all diagnostics are as expected.
    package static func unexpectedDiagnostics(of code: String) throws -> String {
        let (status, text) = try compile(
            code,
            "6",
            ["-typecheck", "-Xfrontend", "-verify", "-Xfrontend", "-verify-ignore-unrelated"]
        )
        return status == 0 ? "" : "status \(status)\n" + text
    }

    /// Returns a list of the unexpected and the missing errors and warnings for `code`.
    ///
    /// Notes are ignored, because code can't mark them as expected in a macro's expansion.
    ///
    /// If `checkingAccesses` is `true`, the code is compiled far enough to find overlapping accesses and uses of consumed values.
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
        for (line, messages) in missing {
            for message in messages { unexpected += "line \(line) has no diagnostic: \(message)\n" }
        }
        return unexpected
    }

    /// Compiles `code` and returns the diagnostics that the compiler prints.
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
            + (macros ?? [])
        // In a coverage build, the profile of the macro program is discarded.
        process.environment = ProcessInfo.processInfo.environment.merging(["LLVM_PROFILE_FILE": "/dev/null"]) { $1 }
        process.standardError = output
        process.standardOutput = output
        try process.start()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    /// The folder that contains the modules of this build, which is next to the test program, or `nil` if there is none.
    private static let modules: URL? = {
        let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "Modules")
        return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }()

    /// The compiler arguments that enable the macros of LarderObjects, or `nil` if the macros were not built.
    ///
    /// The macros are in a library in the folder specified by the environment variable `LARDER_MACROS`, or otherwise in a program next to
    /// the test program.
    private static let macros: [String]? = {
        if let folder = ProcessInfo.processInfo.environment["LARDER_MACROS"], !folder.isEmpty {
            let library = ["so", "dylib"].map { "\(folder)/libLarderObjectsMacros.\($0)" }
                .first { FileManager.default.fileExists(atPath: $0) }
            return library.map { ["-load-plugin-library", $0] }
        }
        guard let program = modules?.deletingLastPathComponent().appending(path: "LarderObjectsMacros-tool") else {
            return nil
        }
        let isBuilt = FileManager.default.isExecutableFile(atPath: program.path)
        return isBuilt ? ["-load-plugin-executable", "\(program.path)#LarderObjectsMacros"] : nil
    }()

    /// Whether code that uses the macros of LarderObjects can be compiled.
    package static let hasMacros: Bool = isPossible && macros != nil

    /// The module maps of the C modules that Larder's modules import, including the module map of the SQLite package.
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
