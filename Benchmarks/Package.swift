// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that what Larder is compared with never reaches a user's dependencies.
let package = Package(
    name: "larder-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "larder", path: "..")],
    targets: [
        .executableTarget(
            name: "StoreBenchmarks",
            dependencies: [
                .product(name: "LarderCore", package: "larder"),
                .product(name: "LarderStores", package: "larder"),
                .product(name: "LarderDeviceStorage", package: "larder"),
                .product(name: "LarderDefaults", package: "larder"),
                .product(name: "LarderDataSources", package: "larder"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
