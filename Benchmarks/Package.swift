// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that what Larder is compared with never reaches a user's dependencies.

// `LARDER_BENCH_LMDB=1` says that the system has LMDB (`pkg-config lmdb`); `run.sh` finds out.
let hasLMDB = Context.environment["LARDER_BENCH_LMDB"] == "1"

let package = Package(
    name: "larder-benchmarks",
    platforms: [.macOS(.v15)],
    traits: [
        .default(enabledTraits: ["SQLite", "Encryption"]),
        .trait(name: "SQLite", description: "Compares with GRDB's SQLite."),
        .trait(name: "Encryption", description: "Measures EncryptedStore, beside swift-crypto alone."),
        .trait(name: "Objects", description: "Measures object storage; compiles swift-syntax, which takes minutes."),
    ],
    dependencies: [
        .package(
            name: "larder",
            path: "..",
            traits: [
                .trait(name: "Encryption", condition: .when(traits: ["Encryption"])),
                .trait(name: "Objects", condition: .when(traits: ["Objects"])),
            ]
        ),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
    ],
    targets: [
        .target(name: "CHeapUse"),
        .target(name: "CAllocations"),
        .target(name: "CThreadPeer"),
        .executableTarget(
            name: "StoreBenchmarks",
            dependencies: [
                "CHeapUse", "CAllocations", "CThreadPeer",
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
        // Object storage in a program of its own: without the trait it is empty, and nobody waits for swift-syntax.
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
    ] + (hasLMDB ? [.systemLibrary(name: "LMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])])] : []),
    swiftLanguageModes: [.v6]
)
