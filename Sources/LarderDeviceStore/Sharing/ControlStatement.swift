import LarderCore
import LarderFiles

/// The information that a control file contains about a log.
///
/// See rule 3 of `device-log-v1.md`.
struct ControlStatement {
    /// Whether the control file describes the current log file, its generation, and the current boot of the machine.
    let isCurrent: Bool
    /// Whether the information is current and was written since the machine was last booted.
    ///
    /// The value is `false` if the system doesn't identify boots.
    let isOfThisBoot: Bool
    /// The offset up to which the log is known to have been written, or 0 if the offset is unknown.
    let end: Int

    /// Compares the log identity `found` and the state word `word` of a control file with the expected log and generation.
    init(_ found: ControlFile.Subject?, _ word: StateWord, expected: ControlFile.Subject, generation: UInt64) {
        isCurrent = found == expected && word.isOf(generation: generation)
        isOfThisBoot = isCurrent && expected.boot.contains { $0 != 0 }
        end = isOfThisBoot ? word.end : 0
    }

    /// Reads the control file of the log at `path` for read-only access.
    ///
    /// A missing or unreadable control file is ignored.
    ///
    /// - Throws: `FileError` if the control file can't be opened because too many files are open.
    init(beside path: String, _ log: DeviceLog, on fileSystem: any FileSystem) throws {
        let boot = try fileSystem.bootBytes()
        var page: [UInt8] = []
        do {
            let file = try fileSystem.open(path + LogFormat.controlSuffix, .reading)
            page = try file.read(at: 0, count: LogFormat.Control.size)
        } catch let error as FileError where error.isOfTooManyOpenFiles {
            throw error
        } catch {
            // An unreadable control file is treated like a missing one, so only the header of the log is used.
        }
        self = page.withUnsafeBytes { page in
            let isWhole = page.count == LogFormat.Control.size
            return ControlStatement(
                isWhole ? ControlFile.Subject(page: page) : nil,
                StateWord(rawValue: isWhole ? page.number(UInt64.self, at: LogFormat.Control.stateWord) : 0),
                expected: ControlFile.Subject(of: log, boot: boot),
                generation: log.generation
            )
        }
    }
}

extension LogHeader {
    /// Returns the offset up to which the log is known to have been written, according to the log's header and to `statement`.
    ///
    /// A log that can't be read up to this offset is corrupt.
    func trustedEnd(_ statement: ControlStatement) -> Int { max(trustedEnd, statement.end) }

    /// The offset up to which the log has been written, according to the log's header.
    private var trustedEnd: Int { max(syncedMark, snapshotEnd) }

    /// Returns the error for a log whose frames can't be read beyond the offset `end`.
    func damage(of path: String, at end: Int) -> StoreError {
        guard end >= trustedEnd else {
            return StoreError.damagedLog(path, at: end, "a commit is corrupt")
        }
        return StoreError.damagedLog(
            path,
            at: end,
            "\((path + LogFormat.controlSuffix).debugDescription) records commits that are missing (if you have just restored an older copy of the store, remove that file while no process has the store open)"
        )
    }
}

extension ControlFile {
    /// The identity of a log file during one boot of the machine.
    struct Subject: Hashable {
        var boot: [UInt8]
        var fileIdentifier: [UInt8]
        var device: UInt64
        var inode: UInt64

        /// Creates the identity of `log` for the boot that `boot` identifies.
        init(of log: DeviceLog, boot: [UInt8]) {
            self.boot = boot
            fileIdentifier = log.fileIdentifier
            device = log.device
            inode = log.inode
        }

        /// Reads a log's identity from the page of a control file.
        ///
        /// Returns `nil` if the control file is new or invalid.
        init?(page: UnsafeRawBufferPointer) {
            typealias Field = LogFormat.Control
            guard
                page.slice(Field.magicField..<Field.magicField + Field.magic.count).elementsEqual(Field.magic),
                page.number(UInt32.self, at: Field.versionField) == Field.version
            else { return nil }
            boot = Array(page.slice(Field.bootField..<Field.bootField + Field.bootSize))
            fileIdentifier = Array(page.slice(Field.fileIdentifierField..<Field.fileIdentifierField + 16))
            device = page.number(UInt64.self, at: Field.deviceField)
            inode = page.number(UInt64.self, at: Field.inodeField)
        }
    }

    /// Returns the information in the control file about the log with the identity `subject`.
    ///
    /// The caller must hold the interprocess lock.
    func statement(of subject: Subject, generation: UInt64) -> ControlStatement {
        ControlStatement(
            self.subject,
            StateWord(rawValue: page[LogFormat.Control.stateWord]),
            expected: subject,
            generation: generation
        )
    }

    /// Notifies the processes that still use the previous log that the log was replaced.
    ///
    /// `subject` and the generation identify the new log. The control page must still describe the previous log. No process is notified if
    /// the new log is the result of an interrupted compaction. The caller must hold the interprocess lock.
    func notifyOthers(of subject: Subject, _ generation: UInt64) {
        // No process has had the file open since before the machine started.
        guard let found = self.subject, found.boot == subject.boot else { return }
        typealias Field = LogFormat.Control
        let word = StateWord(rawValue: page[Field.stateWord])
        let isSuccessor =
            page[Field.pendingEnd] == Field.pendingSwitch && found.fileIdentifier == subject.fileIdentifier
            && word.isOf(generation: generation &- 1)
        if isSuccessor {
            page[Field.deviceField] = subject.device
            page[Field.inodeField] = subject.inode
            return
        }
        page.noteFailure()
        page[Field.pendingEnd] = 0
        // No file has this inode. The page describes the new file later.
        page[Field.inodeField] = 0
    }
}
