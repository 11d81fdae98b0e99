package import LarderFiles

/// A file system that says it is reached over a network, where a store's lock is that of its control file.
package struct PretendedNetwork: ForwardingFileSystem {
    package let base: any FileSystem

    package init(on base: any FileSystem = .local) { self.base = base }

    package func volume(at path: String) throws -> VolumeInformation {
        VolumeInformation(name: "nfs", isNetwork: true, isSafeForSharedMaps: false)
    }
}
