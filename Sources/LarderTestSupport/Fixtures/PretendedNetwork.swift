package import LarderFiles

/// A file system whose volumes appear to be network volumes, so that a store locks its control file.
package struct PretendedNetwork: ForwardingFileSystem {
    package let base: any FileSystem

    package init(on base: any FileSystem = .local) { self.base = base }

    package func volume(at path: String) throws -> VolumeInformation {
        VolumeInformation(name: "nfs", isNetwork: true, isSafeForSharedMaps: false)
    }
}
