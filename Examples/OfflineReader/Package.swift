// swift-tools-version: 6.2
import PackageDescription

// This is a separate package, which depends on Larder like any other package.
let package = Package(
    name: "offline-reader",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "larder", path: "../..")],
    targets: [
        .target(name: "OfflineReader", dependencies: [.product(name: "Larder", package: "larder")]),
        .executableTarget(
            name: "OfflineReaderCommand",
            dependencies: ["OfflineReader", .product(name: "Larder", package: "larder")]
        ),
        .testTarget(
            name: "OfflineReaderTests",
            dependencies: [
                "OfflineReader", "OfflineReaderCommand", .product(name: "Larder", package: "larder"),
                .product(name: "LarderTesting", package: "larder"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
