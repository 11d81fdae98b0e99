// swift-tools-version: 6.2
import PackageDescription

// A minimal user package that depends only on the typed defaults, without traits. `make lint` builds this package and checks which
// dependencies were fetched.
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
