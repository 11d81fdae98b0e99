import LarderCore
import LarderFiles

/// What a control file says of the log beside it, to whoever opens that: to write, to read or to repair it.
///
/// See rule 3 of `device-log-v1.md`: what counts is the same for all of them.
struct ControlStatement {
    /// Whether it speaks of this file, this generation and what the machine says of its start.
    let isCurrent: Bool
    /// Whether it does, and is known to be of this start of the machine.
    ///
    /// Where starts can't be told apart it may be of an earlier one, and what it says of the disk counts for nothing.
    let isOfThisStart: Bool
    /// How far the log is known to have been written; 0 when that is not known.
    let end: Int

    /// What `word` means in a page that speaks of `found`, for a log and a start of the machine that are `expected`.
    init(_ found: ControlFile.Subject?, _ word: StateWord, expected: ControlFile.Subject, generation: UInt64) {
        isCurrent = found == expected && word.isOf(generation: generation)
        isOfThisStart = isCurrent && expected.boot.contains { $0 != 0 }
        end = isOfThisStart ? word.end : 0
    }

    /// What lies beside the log at `path`.
    ///
    /// For whoever only reads: it takes no part, makes no file and needs no permission to write. What can't be read says nothing.
    ///
    /// - Throws: ``FileError`` when too many files are open to read it.
    init(beside path: String, _ log: DeviceLog, on fileSystem: any FileSystem) throws {
        let boot = try fileSystem.bootBytes()
        var page: [UInt8] = []
        do {
            let file = try fileSystem.open(path + LogFormat.controlSuffix, .reading)
            page = try file.read(at: 0, count: LogFormat.Control.size)
        } catch let error as FileError where error.isOfTooManyOpenFiles {
            throw error
        } catch {
            // As if there were none: then what the header states counts alone.
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
    /// Before this everything is known to have been written: a log that can't be read up to there is damaged.
    func trustedEnd(_ statement: ControlStatement) -> Int { max(trustedEnd, statement.end) }

    /// What the log itself says of it.
    private var trustedEnd: Int { max(syncedMark, snapshotEnd) }

    /// What to say of a log that can't be read any further than `end`, which is not far enough.
    func damage(of path: String, at end: Int) -> StoreError {
        guard end >= trustedEnd else {
            return StoreError.damagedLog(path, at: end, "a commit is not as it was written")
        }
        return StoreError.damagedLog(
            path,
            at: end,
            "\(path)\(LogFormat.controlSuffix) knows of commits that are not there (where you have just put an older copy of the store in its place, they can't be: then remove that file while no process has the store open)"
        )
    }
}

extension ControlFile {
    /// What the words speak of.
    struct Subject: Hashable {
        var boot: [UInt8]
        var fileIdentifier: [UInt8]
        var device: UInt64
        var inode: UInt64

        /// A log, and a start of the machine.
        init(of log: DeviceLog, boot: [UInt8]) {
            self.boot = boot
            fileIdentifier = log.fileIdentifier
            device = log.device
            inode = log.inode
        }

        /// What a page says; `nil` for a new one and for one that makes no sense.
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

    /// What it says of a log that is `subject`; under the lock.
    func statement(of subject: Subject, generation: UInt64) -> ControlStatement {
        ControlStatement(
            self.subject,
            StateWord(rawValue: page[LogFormat.Control.stateWord]),
            expected: subject,
            generation: generation
        )
    }

    /// Tells whoever has another file open, of which the page speaks, that `subject`, in that generation, is put to use now.
    ///
    /// Under the lock, before anything else is said of it. Nobody is told when a compaction put it in place that was killed before it said so.
    func dismissOthers(from subject: Subject, _ generation: UInt64) {
        // Nobody has open what was open before the machine was started.
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
        // That of no file, until the page speaks of this one.
        page[Field.inodeField] = 0
    }
}
