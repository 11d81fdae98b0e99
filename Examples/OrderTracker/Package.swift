// swift-tools-version: 6.2
import PackageDescription

// This is a separate package, which depends on Larder like any other package.
let package = Package(
    name: "order-tracker",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "larder", path: "../..", traits: ["Objects"])],
    targets: [
        .target(
            name: "OrderTracker",
            dependencies: [.product(name: "LarderObjects", package: "larder")],
            // The program reads the frozen versions when it migrates a file.
            resources: [.copy("Models")]
        ),
        .executableTarget(
            name: "OrderTrackerCommand",
            dependencies: ["OrderTracker", .product(name: "LarderObjects", package: "larder")]
        ),
        .testTarget(
            name: "OrderTrackerTests",
            dependencies: [
                "OrderTracker", "OrderTrackerCommand", .product(name: "LarderObjects", package: "larder"),
                .product(name: "LarderTesting", package: "larder"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
