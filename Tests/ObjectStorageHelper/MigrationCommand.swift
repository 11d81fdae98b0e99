#if Objects
import CObjectStorageFaults
import Foundation
import LarderFiles
import LarderObjects
import ObjectStorageModels

/// Opens a library with the model of version 2: `migrate PATH MIGRATION FAULT NUMBER`.
///
/// The migration `upgrade` opens it with the model of version 1, which upgrades a file of an earlier format.
///
/// A fault kills the process with `SIGKILL`, or makes a call fail. With `LARDER_RECORD` in the environment, the changes of the disk are
/// recorded; see `larder_faults_record`.
struct MigrationCommand {
    private static let upgrade = "upgrade"

    /// The migration, or `nil` for the model of version 1.
    private let migration: LibraryMigration?
    private let fault: String
    private let number: Int32

    init(_ arguments: [String]) throws {
        let migration = arguments.first.flatMap { LibraryMigration(rawValue: $0) }
        guard arguments.count == 3, migration != nil || arguments[0] == Self.upgrade, let number = Int32(arguments[2])
        else { throw Misuse("ObjectStorageHelper migrate PATH MIGRATION FAULT NUMBER") }
        (self.migration, fault, self.number) = (migration, arguments[1], number)
    }

    /// Returns a letter for each numbered call, and the duration of the opening in microseconds.
    func run(_ path: String) throws -> String {
        try inject()
        let model = try migration?.model() ?? Library.model
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
        return String(cString: larder_faults_calls()) + " \(took)"
    }

    /// Registers the VFS with the fault; `delay` kills the process after a number of microseconds.
    private func inject() throws {
        let faults = [
            "none": LARDER_FAULT_NONE, "kill": LARDER_FAULT_KILL, "halfway": LARDER_FAULT_KILL_HALFWAY,
            "full": LARDER_FAULT_FULL, "fail": LARDER_FAULT_FAIL, "delay": LARDER_FAULT_NONE,
        ]
        guard let fault = faults[fault], larder_faults_register(fault, number) == 0 else {
            throw Misuse("There is no fault \(fault).")
        }
        if self.fault == "delay" { _ = larder_faults_end_after(Int(number)) }
        if let log = ProcessInfo.processInfo.environment["LARDER_RECORD"] { _ = larder_faults_record(log) }
    }
}
#endif
