#if Objects
import CObjectStorageFaults
import Foundation
import LarderFiles
import LarderObjects
import LarderTestSupport
import ObjectStorageModels

/// A program that the tests of migrations run as a child process: `ObjectStorageHelper PATH MIGRATION FAULT NUMBER`.
///
/// The program opens the file with the model of version 2. It exits with 0 and prints the numbered calls and the duration, or prints the
/// code of the error and exits with 2. A fault kills it with `SIGKILL`.
@main struct ObjectStorageHelper {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 4, let path = arguments.first,
            let migration = LibraryMigration(rawValue: arguments[2]),
            let number = Int32(arguments[4])
        else { end(1, "ObjectStorageHelper PATH MIGRATION FAULT NUMBER") }
        do {
            try inject(arguments[3], number)
            let model = try migration.model()
            var configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
            // Another process may have the file open.
            configuration.openingTimeout = .seconds(60)
            let began = ContinuousClock.now
            let manager = try SQLiteStorageManager(
                model: model,
                url: URL(fileURLWithPath: path),
                configuration: configuration,
                files: NumberedFileSystem()
            )
            let took = (ContinuousClock.now - began).components.attoseconds / 1_000_000_000_000
            try manager.close()
            end(0, String(cString: larder_faults_calls()) + " \(took)")
        } catch let error as ObjectError {
            end(2, "\(error.code) \(error)")
        } catch {
            end(1, "\(error)")
        }
    }

    /// Registers the VFS with a fault; `kill -9` ends the process after a number of microseconds.
    private static func inject(_ name: String, _ number: Int32) throws {
        let faults = [
            "none": LARDER_FAULT_NONE, "kill": LARDER_FAULT_KILL, "halfway": LARDER_FAULT_KILL_HALFWAY,
            "full": LARDER_FAULT_FULL, "fail": LARDER_FAULT_FAIL, "delay": LARDER_FAULT_NONE,
        ]
        guard let fault = faults[name], larder_faults_register(fault, number) == 0 else {
            throw FileError(.unsupported, .inspect, name)
        }
        if name == "delay" { _ = larder_faults_end_after(Int(number)) }
        if let log = ProcessInfo.processInfo.environment["LARDER_RECORD"] { _ = larder_faults_record(log) }
    }

    private static func end(_ status: Int32, _ text: String) -> Never {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
        exit(status)
    }
}

/// The local file system, whose changes are numbered and recorded together with those of SQLite.
private struct NumberedFileSystem: ForwardingFileSystem {
    let base: any FileSystem = LocalFileSystem()

    func rename(_ source: String, to destination: String) throws {
        try change("r", .rename, source)
        try base.rename(source, to: destination)
        larder_faults_note(Self.letter("r"), source, destination)
    }

    func remove(_ path: String) throws {
        try change("x", .remove, path)
        try base.remove(path)
        larder_faults_note(Self.letter("d"), path, nil)
    }

    func synchronizeDirectory(at path: String) throws {
        try change("y", .synchronize, path)
        try base.synchronizeDirectory(at: path)
    }

    private func change(_ name: Unicode.Scalar, _ operation: FileError.Operation, _ path: String) throws {
        guard larder_faults_change(Self.letter(name)) == 0 else {
            throw FileError(.inputOutput, operation, path, errno: EIO)
        }
    }

    private static func letter(_ name: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: name.value) }
}
#else
/// Without object storage there is nothing to migrate.
@main struct ObjectStorageHelper {
    static func main() {}
}
#endif
