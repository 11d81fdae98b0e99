// swift-tools-version: 6.2
import PackageDescription

// A program that keeps its settings with typed defaults. `./run` builds it, uses it, kills it, and looks whether anything is lost.
let package = Package(
    name: "TypedSettings",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "larder", path: "../..")],
    targets: [
        .executableTarget(
            name: "TypedSettings",
            dependencies: [
                .product(name: "LarderDefaults", package: "larder"),
                .product(name: "LarderDeviceStore", package: "larder"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
