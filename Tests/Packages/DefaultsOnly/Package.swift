// swift-tools-version: 6.2
import PackageDescription

// A user's package in miniature: it takes the typed defaults and no trait. `make lint` builds it and looks at what was
// fetched for it.
let package = Package(
    name: "DefaultsOnly",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "larder", path: "../../..")],
    targets: [
        .executableTarget(
            name: "DefaultsOnly",
            dependencies: [.product(name: "LarderDefaults", package: "larder")]
        )
    ]
)
