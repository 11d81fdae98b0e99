// swift-tools-version: 6.2
import PackageDescription

// `LARDER_WITHOUT_SERVER=1 swift test` leaves out the server, because hummingbird takes minutes to build, and the demo, which needs
// PostgreSQL. Examples/check.sh does that; `make fleet` builds everything.
let isWhole = Context.environment["LARDER_WITHOUT_SERVER"] == nil

func larder(_ names: String...) -> [Target.Dependency] { names.map { .product(name: $0, package: "larder") } }

let server: [Target] = [
    .executableTarget(
        name: "FeatureFlagsServer",
        dependencies: [
            "FeatureFlags", .product(name: "Hummingbird", package: "hummingbird"),
            .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        ]
            + larder(
                "LarderCore",
                "LarderDefaults",
                "LarderDeviceStore",
                "LarderInspector",
                "LarderPostgres",
                "LarderReplication"
            )
    ),
    // Starts PostgreSQL and three instances, and goes through faults.
    .executableTarget(
        name: "FleetDemo",
        dependencies: ["FeatureFlags"] + larder("LarderCore", "LarderDeviceStore", "LarderPostgres")
    ),
]

// This is a separate package, which depends on Larder like any other package.
let package = Package(
    name: "feature-flags",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "larder", path: "../..", traits: isWhole ? ["Inspector", "Postgres", "Replication"] : [])
    ]
        + (isWhole
            ? [
                .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.5.0"),
                .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
            ] : []),
    targets: [
        // What the instances share, and the page that shows it. Needs neither a network nor a database.
        .target(
            name: "FeatureFlags",
            dependencies: larder("LarderCore", "LarderDefaults", "LarderReplication")
        ),
        .testTarget(
            name: "FeatureFlagsTests",
            dependencies: ["FeatureFlags"]
                + larder("LarderCore", "LarderDeviceStore", "LarderReplication", "LarderTesting")
        ),
    ] + (isWhole ? server : []),
    swiftLanguageModes: [.v6]
)
