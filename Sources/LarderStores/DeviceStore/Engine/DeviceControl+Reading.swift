import LarderFiles

extension DeviceControl {
    /// How far the log at `path` is known to have been written, by what lies beside it; 0 when that says nothing of this log.
    ///
    /// For whoever only reads: it takes no part, makes no file and needs no permission to write. What can't be read says nothing
    /// either: then the synced mark of the log counts alone.
    static func statedEnd(_ path: String, _ log: DeviceLog, on fileSystem: any FileSystem) -> Int {
        typealias Field = LogFormat.Control
        guard
            let page = try? fileSystem.open(path + LogFormat.controlSuffix, .reading).read(at: 0, count: Field.size),
            page.count == Field.size
        else { return 0 }
        func bytes(_ offset: Int, _ count: Int) -> [UInt8] { Array(page[offset..<offset + count]) }
        func number(_ offset: Int) -> UInt64 {
            page.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
        }
        let version = page.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: Field.versionField, as: UInt32.self) }
        let word = StateWord(rawValue: number(Field.stateWord))
        guard
            bytes(Field.magicField, 8) == Field.magic,
            version.littleEndian == Field.version,
            bytes(Field.bootField, Field.bootSize) == fileSystem.bootBytes(), page[Field.bootField] != 0,
            bytes(Field.fileIdentifierField, 16) == log.fileIdentifier,
            number(Field.deviceField) == log.device, number(Field.inodeField) == log.inode,
            word.isOf(generation: log.generation)
        else { return 0 }
        return word.end
    }
}
