import Foundation

/// A copy of the descriptor of a file that this process has open, as a program has one that is being started, until it runs.
package final class DescriptorCopy: Sendable {
    private let number: Int32

    /// Throws when the file at `path` is not open, or the system does not list what is.
    package init(of path: String) throws {
        let all = "/proc/self/fd"
        let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let original = try FileManager.default.contentsOfDirectory(atPath: all).first { name in
            // Others may be closed meanwhile.
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(all)/\(name)")) == real
        }
        number = dup(original.flatMap { Int32($0) } ?? -1)
        if number < 0 { throw CocoaError(.fileNoSuchFile) }
    }

    deinit { close(number) }
}
