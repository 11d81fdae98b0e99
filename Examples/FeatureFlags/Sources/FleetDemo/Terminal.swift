import Foundation

/// The lines of the demo.
struct Terminal: Sendable {
    private let start = ContinuousClock.now
    private let isColored = isatty(1) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil

    /// Prints the heading of a scene.
    func scene(_ text: String) { line("\n" + (isColored ? "\u{1B}[1m\(text)\u{1B}[0m" : text)) }

    /// Prints what happens, beside the seconds since the start.
    func say(_ text: String) {
        let seconds = Double((ContinuousClock.now - start) / .milliseconds(100)) / 10
        line(String(format: "%6.1f s  ", seconds) + text)
    }

    func row(_ text: String) { line("          " + text) }

    func fail(_ text: String) { FileHandle.standardError.write(Data("\nerror: \(text)\n".utf8)) }

    /// Prints the last lines of the logs, which say why something did not start.
    func showLogs(in folder: URL) {
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        for file in files where file.pathExtension == "log" {
            guard let text = try? String(contentsOf: file, encoding: .utf8), !text.isEmpty else { continue }
            fail("\(file.lastPathComponent):\n" + text.split(separator: "\n").suffix(15).joined(separator: "\n"))
        }
    }

    private func line(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
}

extension Duration {
    /// The milliseconds with one digit after the point.
    var inMilliseconds: String { String(format: "%.1f ms", self / .milliseconds(1)) }
}
