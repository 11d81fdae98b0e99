#if Postgres
import Foundation
import LarderTestSupport
import Testing

/// A small disk in memory that only one process sees, and that ends with the process.
///
/// Creating one needs root.
enum MountNamespace {
    /// Returns a command that runs the program and arguments after it with a disk.
    ///
    /// - Parameters:
    ///   - folder: The path of an empty folder, in which the process sees the disk.
    ///   - megabytes: The size of the disk.
    /// - Returns: The command. The program has the process of the command.
    static func command(_ folder: String, megabytes: Int) -> [String] {
        let script = #"mount -t tmpfs -o "size=$1m" tmpfs "$2" && shift 2 && exec "$@""#
        return ["unshare", "-m", "sh", "-c", script, "sh", "\(megabytes)", folder]
    }

    /// Whether this process may create namespaces.
    static let areAvailable: Bool = {
        guard getuid() == 0, let folder = try? TemporaryDirectory() else { return false }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command(folder.path, megabytes: 1) + ["true"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.start()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()
}

extension Trait where Self == ConditionTrait {
    /// A condition for tests that fill a disk.
    static var needsMountNamespaces: Self {
        .enabled(
            if: MountNamespace.areAvailable,
            "Left out: a replica on a full disk. It needs root and the program `unshare` (Debian: util-linux)."
        )
    }
}
#endif
