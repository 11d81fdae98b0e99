/// Information about the volume that contains a path.
package struct VolumeInformation: Sendable, Hashable {
    /// The name of the volume's file system, or the file system's magic number in hexadecimal if the name is unknown.
    package var name: String
    /// Whether the volume is on a network, where locks, memory-mapped files and syncs may not work, or `nil` if unknown.
    package var isNetwork: Bool?
    /// Whether shared memory mappings are known to be coherent with each other and with reads and writes of the file.
    package var isSafeForSharedMaps: Bool

    /// Whether a write to reserved space through a memory-mapped file never needs more disk space.
    ///
    /// The value is `false` for copy-on-write file systems and file systems that share data between copies of a file.
    package var keepsReservedRoom: Bool

    package init(name: String, isNetwork: Bool?, isSafeForSharedMaps: Bool, keepsReservedRoom: Bool = false) {
        self.name = name
        self.isNetwork = isNetwork
        self.isSafeForSharedMaps = isSafeForSharedMaps
        self.keepsReservedRoom = keepsReservedRoom
    }

    // The names of local file systems, by the magic number that Linux reports.
    private static let local: [UInt32: String] = [
        0xEF53: "ext4", 0x5846_5342: "xfs", 0x9123_683E: "btrfs", 0x0102_1994: "tmpfs", 0xF2F5_2010: "f2fs",
        0x2FC1_2FC1: "zfs", 0xCA45_1A4E: "bcachefs",
    ]
    private static let network: [UInt32: String] = [
        0x6969: "nfs", 0xFF53_4D42: "cifs", 0xFE53_4D42: "smb2", 0x517B: "smb", 0x0102_1997: "9p", 0x00C3_6400: "ceph",
        0x5346_414F: "afs", 0x6B41_4653: "afs", 0x7375_7245: "coda", 0x013F_8290: "gfs2", 0x7461_636F: "ocfs2",
        0x0BD0_0BD0: "lustre", 0x4750_4653: "gpfs",
    ]
    /// The names of stacked file systems, keyed by magic number, and whether each is a network file system, or `nil` if unknown.
    ///
    /// Memory mappings on these file systems are not known to be coherent.
    private static let other: [UInt32: (String, Bool?)] = [0x794C_7630: ("overlay", false), 0x6573_5546: ("fuse", nil)]

    /// Returns information about a volume, given the magic number that Linux reports for its file system.
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
