import Foundation

/// A duplicate of an open file's descriptor, like the one that a starting child process holds until it calls exec.
package final class DescriptorCopy: Sendable {
    private let number: Int32

    /// Duplicates the descriptor of the file at `path`.
    ///
    /// - Throws: `CocoaError` if the file is not open, or if the system can't list open files.
    package init(of path: String) throws {
        let all = "/proc/self/fd"
        let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let original = try FileManager.default.contentsOfDirectory(atPath: all).first { name in
            // Other descriptors may be closed during the search.
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(all)/\(name)")) == real
        }
        number = dup(original.flatMap { Int32($0) } ?? -1)
        if number < 0 { throw CocoaError(.fileNoSuchFile) }
    }

    deinit { close(number) }
}
