import LarderCore
import LarderFiles

/// A description of the corruption found in a store, and of the entries that were salvaged.
public struct DeviceStoreDamage: Sendable, Hashable, CustomStringConvertible {
    /// The path of the corrupt file.
    public var path: String
    /// The path of the backup copy of the corrupt file, or `nil` if no copy was made.
    public var copy: String?
    /// The corrupt byte ranges of the file.
    public var ranges: [Range<Int>]
    /// The number of commits that are known to be missing.
    ///
    /// More commits may be missing if the end of the file is corrupt.
    public var missingCommits: Int
    /// The number of entries that were salvaged.
    ///
    /// Like `count()`, this number excludes reserved records and expired entries.
    public var keptEntries: Int
    /// The keys, in sorted order, whose values may be outdated because the values were written before a corrupt range.
    ///
    /// The corrupt range may have contained a newer value or the removal of the key.
    ///
    /// Keys that occurred only in corrupt ranges are lost and can't be listed.
    public var keysInDoubt: [String]
    /// The names, in sorted order, of reserved records that may be outdated because they were written before a corrupt range.
    ///
    /// A name is the record's key without the leading U+0000.
    ///
    /// An encrypted store depends on its reserved records, which `Documentation/Formats/encrypted-store-v1.md` lists. If `larder.encrypted`
    /// is outdated, the store opens with a former key. If the record of a session is missing, no value of that session can be read.
    /// `EncryptedStore.verify()` reports the values that can't be read.
    public var recordsInDoubt: [String]

    /// A one-sentence summary, followed by a sentence about reserved records if any may be outdated.
    public var description: String {
        let places = ranges.map { "\($0.lowerBound) to \($0.upperBound)" }.joined(separator: ", ")
        return
            "\(path.debugDescription) is corrupt from \(places): \(counted(keptEntries, "entry was", "entries were")) kept, and \(counted(keysInDoubt.count, "key")) may have lost a newer value"
            + (copy.map { "; a copy of the corrupt file is at \($0.debugDescription)." } ?? ".") + recordsDescription
    }

    private var recordsDescription: String {
        if recordsInDoubt.isEmpty { return "" }
        guard recordsInDoubt.contains(where: ReservedRecord.mayBelongToEncryption) else {
            return " \(counted(recordsInDoubt.count, "internal record")) of Larder may be outdated too."
        }
        return
            " The header of the encrypted store in it may be outdated and require a former key, and session records may be"
            + " missing. Call `EncryptedStore.verify()` to list the values that can't be read."
    }
}
