#if Postgres
import Foundation
import LarderTestSupport

/// A process that kills a server and removes its folder when this process ends or releases the keeper, even if this process is killed.
final class Keeper: Sendable {
    private let held: FileHandle

    /// Begins to keep a folder.
    init(_ folder: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // All processes of a server have its data as their working folder.
        let script = """
            trap '' INT TERM
            cat >/dev/null
            for process in /proc/[0-9]*; do
                [ "$(readlink "$process/cwd" 2>/dev/null)" != "$1/data" ] || kill -9 "${process#/proc/}"
            done
            rm -rf "$1"
            """
        process.arguments = ["-c", script, "sh", folder]
        let pipe = Pipe()
        process.standardInput = pipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        try process.start()
        held = pipe.fileHandleForWriting
    }

    deinit { try? held.close() }

    /// Creates a folder for the user of the server.
    ///
    /// The temporary folder of the tests may be closed to that user, and its path may be too long for a socket.
    static func newFolder() throws -> String {
        let path = "/tmp/larder-\(UUID().uuidString.prefix(13))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        guard let user = PostgresPrograms.user else { return path }
        try FileManager.default.setAttributes(
            [.ownerAccountID: NSNumber(value: user), .posixPermissions: NSNumber(value: 0o755)],
            ofItemAtPath: path
        )
        return path
    }
}
#endif
