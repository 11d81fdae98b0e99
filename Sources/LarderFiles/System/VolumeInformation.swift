/// What kind of file system a path is on.
package struct VolumeInformation: Sendable, Hashable {
    /// Its name, as the operating system tells it, or its number in hexadecimal.
    package var name: String
    /// Whether it is reached over a network: locks, maps and syncs may not hold there.
    ///
    /// `nil` when it is not known.
    package var isNetwork: Bool?
    /// Whether maps shared between processes are known to be coherent with one another, with reads and with writes.
    package var isSafeForSharedMaps: Bool

    /// Whether room once reserved can be stored to through a map, again and again, without the file system needing more.
    ///
    /// Not so where data is never overwritten in place, or may be shared with a copy: there a store can meet a full disk.
    package var keepsReservedRoom: Bool

    package init(name: String, isNetwork: Bool?, isSafeForSharedMaps: Bool, keepsReservedRoom: Bool = false) {
        self.name = name
        self.isNetwork = isNetwork
        self.isSafeForSharedMaps = isSafeForSharedMaps
        self.keepsReservedRoom = keepsReservedRoom
    }

    // By the number that Linux gives them.
    private static let local: [UInt32: String] = [
        0xEF53: "ext4", 0x5846_5342: "xfs", 0x9123_683E: "btrfs", 0x0102_1994: "tmpfs", 0xF2F5_2010: "f2fs",
        0x2FC1_2FC1: "zfs", 0xCA45_1A4E: "bcachefs",
    ]
    private static let network: [UInt32: String] = [
        0x6969: "nfs", 0xFF53_4D42: "cifs", 0xFE53_4D42: "smb2", 0x517B: "smb", 0x0102_1997: "9p", 0x00C3_6400: "ceph",
        0x5346_414F: "afs", 0x6B41_4653: "afs", 0x7375_7245: "coda", 0x013F_8290: "gfs2", 0x7461_636F: "ocfs2",
        0x0BD0_0BD0: "lustre", 0x4750_4653: "gpfs",
    ]
    /// An overlay has its files on some other file system, and maps of a file that is copied up come apart; FUSE is anything.
    private static let other: [UInt32: (String, Bool?)] = [0x794C_7630: ("overlay", false), 0x6573_5546: ("fuse", nil)]

    /// What is known of file systems by the number that Linux gives them.
    static func linux(_ number: UInt32) -> VolumeInformation {
        if let name = local[number] {
            return VolumeInformation(
                name: name,
                isNetwork: false,
                isSafeForSharedMaps: true,
                keepsReservedRoom: ["ext4", "tmpfs"].contains(name)
            )
        }
        if let name = network[number] {
            return VolumeInformation(name: name, isNetwork: true, isSafeForSharedMaps: false)
        }
        let (name, isNetwork) = other[number] ?? ("0x" + String(number, radix: 16), nil)
        return VolumeInformation(name: name, isNetwork: isNetwork, isSafeForSharedMaps: false)
    }
}
