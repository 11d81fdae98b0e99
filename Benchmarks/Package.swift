// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that the libraries that Larder is compared with never become dependencies of its users.

// `run.sh` sets `LARDER_BENCH_LMDB=1` if the system has LMDB (`pkg-config lmdb`).
let hasLMDB = Context.environment["LARDER_BENCH_LMDB"] == "1"

let package = Package(
    name: "larder-benchmarks",
    platforms: [.macOS(.v15)],
    traits: [
        .default(enabledTraits: ["SQLite", "Encryption"]),
        .trait(name: "SQLite", description: "Compares with GRDB's SQLite."),
        .trait(name: "Encryption", description: "Compares EncryptedStore with swift-crypto alone."),
        .trait(name: "Objects", description: "Measures object storage; compiles swift-syntax, which takes minutes."),
        .trait(name: "Postgres", description: "Measures replication on PostgreSQL; needs libpq."),
        .trait(name: "Inspector", description: "Measures the inspector; compiles SwiftNIO, which takes minutes."),
    ],
    dependencies: [
        .package(
            name: "larder",
            path: "..",
            traits: [
                .trait(name: "Encryption", condition: .when(traits: ["Encryption"])),
                .trait(name: "Objects", condition: .when(traits: ["Objects"])),
                .trait(name: "Postgres", condition: .when(traits: ["Postgres"])),
                .trait(name: "Inspector", condition: .when(traits: ["Inspector"])),
            ]
        ),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
    ],
    targets: [
        .target(name: "CHeapUse"),
        .target(name: "CAllocations"),
        .target(name: "CThreadPeer"),
        .target(name: "CChecksumPeer"),
        .executableTarget(
            name: "StoreBenchmarks",
            dependencies: [
                "CHeapUse", "CAllocations", "CThreadPeer", "CChecksumPeer",
                .product(name: "LarderCore", package: "larder"),
                .product(name: "LarderDeviceStore", package: "larder"),
                .product(name: "LarderStores", package: "larder"),
                .product(name: "LarderDeviceStorage", package: "larder"),
                .product(name: "LarderDefaults", package: "larder"),
                .product(name: "LarderDataSources", package: "larder"),
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"])),
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Encryption"])),
            ] + (hasLMDB ? ["LMDB"] : [])
        ),
        // Object storage has a separate program. Without the trait, the program is empty and swift-syntax is not compiled.
        .target(name: "CSQLitePeer", linkerSettings: [.linkedLibrary("sqlite3")]),
        .executableTarget(
            name: "ObjectBenchmarks",
            dependencies: [
                "CHeapUse",
                .target(name: "CSQLitePeer", condition: .when(traits: ["Objects"])),
                .product(name: "LarderObjects", package: "larder", condition: .when(traits: ["Objects"])),
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Objects"])),
            ]
        ),
        // Without the trait, this program is empty and libpq is not needed.
        .target(name: "CPostgresPeer", linkerSettings: [.linkedLibrary("pq")]),
        .executableTarget(
            name: "ReplicationBenchmarks",
            dependencies: [
                "CHeapUse",
                .target(name: "CPostgresPeer", condition: .when(traits: ["Postgres"])),
                .product(name: "LarderCore", package: "larder", condition: .when(traits: ["Postgres"])),
                .product(name: "LarderDeviceStore", package: "larder", condition: .when(traits: ["Postgres"])),
                .product(name: "LarderReplication", package: "larder", condition: .when(traits: ["Postgres"])),
                .product(name: "LarderPostgres", package: "larder", condition: .when(traits: ["Postgres"])),
            ]
        ),
        // Without the trait, this program is empty.
        .executableTarget(
            name: "InspectorBenchmarks",
            dependencies: [
                "CHeapUse",
                .product(name: "LarderCore", package: "larder", condition: .when(traits: ["Inspector"])),
                .product(name: "LarderDeviceStore", package: "larder", condition: .when(traits: ["Inspector"])),
                .product(name: "LarderInspector", package: "larder", condition: .when(traits: ["Inspector"])),
            ]
        ),
    ] + (hasLMDB ? [.systemLibrary(name: "LMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])])] : []),
    swiftLanguageModes: [.v6]
)
