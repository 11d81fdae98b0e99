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
    ],
    dependencies: [
        .package(
            name: "larder",
            path: "..",
            traits: [.trait(name: "Encryption", condition: .when(traits: ["Encryption"]))]
        ),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
    ],
    targets: [
        .target(name: "CHeapUse"),
        .target(name: "CAllocations"),
        .executableTarget(
            name: "StoreBenchmarks",
            dependencies: [
                "CHeapUse", "CAllocations",
                .product(name: "LarderCore", package: "larder"),
                .product(name: "LarderStores", package: "larder"),
                .product(name: "LarderDeviceStorage", package: "larder"),
                .product(name: "LarderDefaults", package: "larder"),
                .product(name: "LarderDataSources", package: "larder"),
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"])),
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Encryption"])),
            ] + (hasLMDB ? ["LMDB"] : [])
        ),
    ] + (hasLMDB ? [.systemLibrary(name: "LMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])])] : []),
    swiftLanguageModes: [.v6]
)
