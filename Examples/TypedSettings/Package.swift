// swift-tools-version: 6.2
import PackageDescription

// A program that stores its settings as typed defaults. `./run` builds the program, kills it while it writes, and checks the settings.
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
