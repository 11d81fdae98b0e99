import LarderCore
import LarderFiles

/// What was found when a damaged store was salvaged.
public struct DeviceStoreDamage: Sendable, Hashable, CustomStringConvertible {
    /// The file that was damaged.
    public var path: String
    /// The copy that was made of it, if one was.
    public var copy: String?
    /// The damaged ranges of the file, in bytes.
    public var ranges: [Range<Int>]
    /// How many commits are known to be missing; more may be when the end of the file is damaged.
    public var missingCommits: Int
    /// How many entries were kept: what `count()` says of the store then, without Larder's own and expired ones.
    public var keptEntries: Int
    /// Keys whose value was written before a damaged range, sorted: a newer value, or their removal, may be what is
    /// missing.
    ///
    /// Keys that only the damaged ranges held are gone and can't be named.
    public var keysInDoubt: [String]
    /// Records of Larder's own of which the same is true, sorted: their keys without the U+0000 that they begin with.
    ///
    /// An encrypted store hangs on its own, named in `Documentation/Formats/encrypted-store-v1.md`: with an older
    /// `larder.encrypted` it opens with a former key, and without its record nothing of a session can be read.
    /// `EncryptedStore.verify()` names what can't be read.
    public var recordsInDoubt: [String]

    /// A sentence, and a second one when records of Larder's own are in doubt.
    public var description: String {
        let places = ranges.map { "\($0.lowerBound) to \($0.upperBound)" }.joined(separator: ", ")
        return
            "\(path) is damaged from \(places): \(keptEntries) entries were kept, and \(keysInDoubt.count) keys may have lost a newer value"
            + (copy.map { "; the damaged file is at \($0)." } ?? ".") + recordsDescription
    }

    private var recordsDescription: String {
        if recordsInDoubt.isEmpty { return "" }
        guard recordsInDoubt.contains(where: ReservedRecord.mayBelongToEncryption) else {
            return " Of Larder's own records \(recordsInDoubt.count) may be older ones, too."
        }
        return
            " The header of the encrypted store in it may be an older one, which a former key opens, and records of sessions may be"
            + " missing, without which their values can't be read: verify() of the EncryptedStore names those."
    }
}
