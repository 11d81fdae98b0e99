// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// The layers, bottom first, as drawn in Documentation/Architecture.md. A target may import what it lists
// here and nothing else: `make lint` builds with `--explicit-target-dependency-import-check error`.

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let argumentParser = Target.Dependency.product(
    name: "ArgumentParser",
    package: "swift-argument-parser",
    condition: .when(traits: ["Command"])
)
let sqlite = Target.Dependency.product(
    name: "GRDBSQLite",
    package: "GRDB.swift",
    condition: .when(traits: ["Objects"])
)
let crypto = Target.Dependency.product(
    name: "Crypto",
    package: "swift-crypto",
    condition: .when(traits: ["Encryption"])
)
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Objects"]))
let configuration = Target.Dependency.product(
    name: "Configuration",
    package: "swift-configuration",
    condition: .when(traits: ["Configuration"])
)
let lifecycle = Target.Dependency.product(
    name: "ServiceLifecycle",
    package: "swift-service-lifecycle",
    condition: .when(traits: ["Replication", "Inspector"])
)
let metrics = Target.Dependency.product(
    name: "Metrics",
    package: "swift-metrics",
    condition: .when(traits: ["Replication"])
)
func inspector(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["Inspector"]))
}
let inspector = Target.Dependency.target(name: "LarderInspector", condition: .when(traits: ["Inspector"]))
let libpq = Target.Dependency.target(name: "CPostgres", condition: .when(traits: ["Postgres"]))
let postgres = Target.Dependency.target(name: "LarderPostgres", condition: .when(traits: ["Postgres"]))
let objects = Target.Dependency.target(name: "LarderObjects", condition: .when(traits: ["Objects"]))
func swiftSyntax(_ product: String) -> Target.Dependency {
    .product(name: product, package: "swift-syntax", condition: .when(traits: ["Objects"]))
}

// `LARDER_MACROS=$(Scripts/macros.sh) swift build` takes the macros as a library that was compiled against the toolchain's SwiftSyntax:
// swift-syntax is neither fetched nor compiled. The scripts build that way, for its minutes; a user's build never does.
let builtMacros = Context.environment["LARDER_MACROS"].flatMap { $0.isEmpty ? nil : $0 }
#if os(macOS)
let macroLibrary = "libLarderObjectsMacros.dylib"
#else
let macroLibrary = "libLarderObjectsMacros.so"
#endif
/// What a target needs that expands the macros.
let macroSettings: [SwiftSetting] =
    builtMacros.map {
        [.unsafeFlags(["-load-plugin-library", "\($0)/\(macroLibrary)"])]
    } ?? []

// The privacy manifest is of use on Apple platforms alone; elsewhere a resource would only add a folder to each program.
let privacyManifest = "PrivacyInfo.xcprivacy"
#if os(macOS)
let (filesExcluded, filesResources): ([String], [Resource]) = ([], [.copy(privacyManifest)])
#else
let (filesExcluded, filesResources): ([String], [Resource]) = ([privacyManifest], [])
#endif

// `LARDER_OPTIMIZED=LarderCore,LarderFiles swift build` optimizes those targets in a debug build too, assertions left in: what the tests
// of the scripts run the longest, see Scripts/settings.sh. A user's build never does.
let optimized = Set((Context.environment["LARDER_OPTIMIZED"] ?? "").split(separator: ",").map(String.init))

let inspectorAssets = ["API/openapi.json", "Page/Assets"]

let libraries: [Target] = [
    .target(name: "CLarderPlatform"),
    .target(name: "LarderCore", dependencies: ["CLarderPlatform", logging]),
    .target(
        name: "LarderFiles",
        dependencies: ["LarderCore", "CLarderPlatform"],
        exclude: filesExcluded,
        resources: filesResources
    ),
    .target(name: "LarderDeviceStore", dependencies: ["LarderCore", "LarderFiles"]),
    .target(name: "LarderStores", dependencies: ["LarderCore", "LarderFiles", crypto]),
    .target(
        name: "LarderDeviceStorage",
        dependencies: ["LarderCore", "LarderFiles", "LarderDeviceStore", "LarderStores"]
    ),
    .target(name: "LarderDefaults", dependencies: ["LarderCore", "LarderFiles", "LarderDeviceStorage"]),
    .target(name: "LarderDataSources", dependencies: ["LarderCore", "LarderFiles", "LarderDeviceStorage"]),
    .target(
        name: "CLarderSQLite",
        dependencies: [sqlite],
        cSettings: [.define("LARDER_OBJECTS", .when(traits: ["Objects"]))]
    ),
    .target(
        name: "LarderObjects",
        dependencies: [
            "CLarderSQLite", "LarderCore", "LarderFiles", grdb, sqlite,
        ] + (builtMacros != nil ? [] : [.target(name: "LarderObjectsMacros", condition: .when(traits: ["Objects"]))]),
        swiftSettings: macroSettings
    ),
    .target(name: "LarderConfiguration", dependencies: ["LarderCore", configuration]),
    .target(
        name: "LarderReplication",
        dependencies: ["LarderCore", "LarderFiles", "LarderDeviceStore", lifecycle, metrics, logging]
    ),
    // PostgreSQL's client library, from the system.
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(
        name: "LarderPostgres",
        dependencies: [
            "LarderCore", "LarderFiles", "LarderReplication", libpq,
        ]
    ),
    .target(
        name: "LarderInspector",
        dependencies: [
            "LarderCore", "LarderFiles", logging, lifecycle,
            inspector("HummingbirdCore", "hummingbird"), inspector("HummingbirdTLS", "hummingbird"),
            inspector("HTTPTypes", "swift-http-types"), inspector("Mustache", "swift-mustache"),
            inspector("NIOCore", "swift-nio"), inspector("NIOPosix", "swift-nio"),
            inspector("NIOSSL", "swift-nio-ssl"),
        ],
        // Scripts/inspector-assets.sh writes their content to Page/Assets.swift.
        exclude: inspectorAssets
    ),
    .target(
        name: "Larder",
        dependencies: [
            "LarderCore", "LarderFiles", "LarderDeviceStore", "LarderStores", "LarderDeviceStorage", "LarderDefaults",
            "LarderDataSources",
        ]
    ),
    .target(
        name: "LarderTesting",
        dependencies: [
            objects, "LarderCore", "LarderDeviceStorage", "LarderDefaults", "LarderDataSources", "LarderReplication",
        ]
    ),
]

let tools: [Target] = [
    .executableTarget(
        name: "LarderCommand",
        dependencies: [
            "Larder", "LarderReplication", postgres, objects, inspector, argumentParser, logging, lifecycle,
        ],
        swiftSettings: macroSettings
    ),
    .target(name: "LarderTestSupport", dependencies: ["LarderCore", "LarderFiles"]),
]

// Without the trait "Objects" this is an empty program: swift-syntax is neither fetched nor compiled.
let macros: [Target] = [
    .macro(
        name: "LarderObjectsMacros",
        dependencies: [
            swiftSyntax("SwiftSyntax"), swiftSyntax("SwiftSyntaxBuilder"), swiftSyntax("SwiftSyntaxMacros"),
            swiftSyntax("SwiftDiagnostics"), swiftSyntax("SwiftCompilerPlugin"),
        ]
    )
]

let tests: [Target] = [
    .testTarget(
        name: "LarderObjectsTests",
        dependencies: [
            "LarderCore", "LarderFiles", "LarderObjects", "LarderTesting", "LarderTestSupport", "LarderTestTraits",
            "ObjectsNetworking",
            grdb, sqlite,
        ],
        exclude: ["Golden"],
        swiftSettings: macroSettings
    ),
    // What takes long, and what needs other processes: random pairs of models, every pair of types on a file, processes that are killed.
    .testTarget(
        name: "ObjectProofTests",
        dependencies: [
            "LarderCore", "LarderObjects", "LarderTesting", "LarderTestSupport", "LarderTestTraits",
            "ObjectStorageHelper", "ObjectStorageModels", "CObjectStorageFaults",
            grdb, sqlite,
        ],
        swiftSettings: macroSettings
    ),
    // A layer between SQLite and the disk that makes one call fail, ends the process there, or records when connections hold locks.
    .target(
        name: "CObjectStorageFaults",
        dependencies: [sqlite],
        path: "Tests/CObjectStorageFaults",
        cSettings: [.define("LARDER_OBJECTS", .when(traits: ["Objects"]))]
    ),
    // The models whose migrations are interrupted, and those that several processes write.
    .target(
        name: "ObjectStorageModels",
        dependencies: [objects],
        path: "Tests/ObjectStorageModels",
        swiftSettings: macroSettings
    ),
    // The other process in the tests of migrations and shared files.
    .executableTarget(
        name: "ObjectStorageHelper",
        dependencies: [
            "LarderFiles", "LarderTestSupport", "CObjectStorageFaults", "ObjectStorageModels", objects, grdb,
        ],
        path: "Tests/ObjectStorageHelper",
        swiftSettings: macroSettings
    ),
    // In Swift 5 mode the compiler lets objects leave `performAndSave`, and an assertion is what keeps them.
    .testTarget(
        name: "LarderObjectsSwift5Tests",
        dependencies: ["LarderObjects"],
        swiftSettings: macroSettings + [.swiftLanguageMode(.v5)]
    ),
    // Structs of a module that does not know Larder, for the tests of what bridges them.
    .target(name: "ObjectsNetworking", path: "Tests/ObjectsNetworking"),
    // Compiles the macros' sources, through a link, instead of depending on the plug-in: a test that depends on a plug-in makes
    // SwiftPM build every library twice.
    .testTarget(
        name: "LarderObjectsMacrosTests",
        dependencies: builtMacros != nil
            ? []
            : [
                swiftSyntax("SwiftSyntaxMacros"), swiftSyntax("SwiftSyntaxMacroExpansion"),
                swiftSyntax("SwiftDiagnostics"),
                swiftSyntax("SwiftParser"), swiftSyntax("SwiftSyntax"), swiftSyntax("SwiftSyntaxBuilder"),
            ],
        exclude: ["Macros/Plugin.swift"],
        // The toolchain's SwiftSyntax, against which the library was compiled.
        swiftSettings: builtMacros.map { [.unsafeFlags(["-I", "\($0)/SwiftSyntax"])] } ?? [],
        linkerSettings: builtMacros.map {
            [.unsafeFlags(["-L", "\($0)/SwiftSyntax", "-Xlinker", "-rpath", "-Xlinker", "\($0)/SwiftSyntax"])]
        } ?? []
    ),
    .testTarget(name: "LarderCoreTests", dependencies: ["LarderCore", "LarderTestSupport"]),
    .testTarget(name: "LarderFilesTests", dependencies: ["LarderCore", "LarderFiles", "LarderTestSupport"]),
    .testTarget(
        name: "LarderStoresTests",
        dependencies: [
            "LarderCore", "LarderFiles", "LarderDeviceStore", "LarderStores", "LarderTesting", "LarderTestSupport",
            "DeviceStoreProofs",
        ]
    ),
    .testTarget(
        name: "DeviceStoreTests",
        dependencies: [
            "LarderCore", "LarderFiles", "LarderDeviceStore", "LarderTesting", "LarderTestSupport", "LarderTestTraits",
            "DeviceStoreHelper",
            "DeviceStoreProofs", "DeviceStoreModel",
        ],
        exclude: ["Golden"]
    ),
    // The proofs with what CI does of each; a target of its own because `make mutations` builds it for each fault.
    .testTarget(
        name: "DeviceStoreProofTests",
        dependencies: [
            "LarderCore", "LarderStores", "LarderTestSupport", "LarderTestTraits", "DeviceStoreHelper",
            "DeviceStoreProofs",
        ]
    ),
    // How a test says which issues it causes.
    .target(name: "LarderTestTraits", dependencies: ["LarderCore", logging], path: "Tests/LarderTestTraits"),
    // What the tests do a little of and `make torture` a lot: crashes, faults, damage, several processes.
    .target(
        name: "DeviceStoreProofs",
        dependencies: ["LarderCore", "LarderFiles", "LarderDeviceStore", "LarderStores", "LarderTestSupport"],
        path: "Tests/DeviceStoreProofs"
    ),
    // Random programs, compared with a dictionary and with SQLite.
    .target(
        name: "DeviceStoreModel",
        dependencies: [
            "LarderCore", "LarderFiles", "LarderDeviceStore", "LarderTesting", "LarderTestSupport", "DeviceStoreProofs",
            "CSQLiteForTests",
        ],
        path: "Tests/DeviceStoreModel"
    ),
    .executableTarget(
        name: "DeviceStoreTorture",
        dependencies: ["DeviceStoreProofs", "DeviceStoreModel", "LarderDeviceStore"],
        path: "Tests/DeviceStoreTorture"
    ),
    .target(name: "CInterruptedCalls", path: "Tests/CInterruptedCalls"),
    .target(name: "CForeignSignals", dependencies: ["CLarderPlatform"], path: "Tests/CForeignSignals"),
    // The system's SQLite: what the model-based test compares with.
    .systemLibrary(name: "CSQLiteForTests", path: "Tests/CSQLiteForTests"),
    // The other process in the tests of the device store.
    .executableTarget(
        name: "DeviceStoreHelper",
        dependencies: [
            "LarderCore", "LarderFiles", "LarderDeviceStore", "LarderStores", "LarderDeviceStorage",
            "LarderTestSupport",
            "CInterruptedCalls", "CForeignSignals",
            crypto,
        ],
        path: "Tests/DeviceStoreHelper"
    ),
    .testTarget(
        name: "EncryptedStoreTests",
        dependencies: [
            "LarderCore", "LarderFiles", "LarderDeviceStore", "LarderStores", "LarderTesting", "LarderTestSupport",
            "LarderTestTraits",
            "DeviceStoreProofs",
            crypto,
        ],
        exclude: ["Golden"]
    ),
    .testTarget(
        name: "LarderDeviceStorageTests",
        dependencies: [
            "LarderCore", "LarderFiles", "LarderDeviceStore", "LarderStores", "LarderDeviceStorage", "LarderTesting",
            "LarderTestSupport",
            "LarderTestTraits",
            "DeviceStoreHelper",
        ]
    ),
    .testTarget(
        name: "LarderDefaultsTests",
        dependencies: [
            "LarderCore", "LarderFiles", "LarderDeviceStore", "LarderStores", "LarderDeviceStorage", "LarderDefaults",
            "LarderTesting",
            "LarderTestSupport", "LarderTestTraits", "DeviceStoreHelper", "DefaultsHelper",
        ]
    ),
    // The other process in the tests of typed defaults.
    .executableTarget(
        name: "DefaultsHelper",
        dependencies: ["LarderCore", "LarderDeviceStore", "LarderDefaults", "LarderTestSupport"],
        path: "Tests/DefaultsHelper"
    ),
    // What `Scripts/roads.sh` runs under callgrind.
    .target(name: "CCallgrind", path: "Tests/CCallgrind"),
    .executableTarget(
        name: "ValueRoads",
        dependencies: [
            "LarderCore", "LarderDeviceStore", "LarderDefaults", "LarderDataSources", "CCallgrind", objects,
        ],
        path: "Tests/ValueRoads",
        swiftSettings: macroSettings
    ),
    .testTarget(
        name: "LarderConfigurationTests",
        dependencies: ["LarderCore", "LarderStores", "LarderConfiguration", configuration]
    ),
    .testTarget(
        name: "LarderReplicationTests",
        dependencies: [
            "LarderCore", "LarderFiles", "LarderDeviceStore", "LarderStores", "LarderDefaults", "LarderReplication",
            "LarderTesting", "LarderTestSupport", "LarderTestTraits", "ReplicationHelper", crypto, metrics,
        ]
    ),
    // The other processes in the tests of replication.
    .executableTarget(
        name: "ReplicationHelper",
        dependencies: [
            "LarderCore", "LarderDeviceStore", "LarderReplication", "LarderTesting", "LarderTestSupport", postgres,
        ],
        path: "Tests/ReplicationHelper"
    ),
    .testTarget(
        name: "LarderPostgresTests",
        dependencies: [
            "LarderCommand", "LarderCore", "LarderFiles", "LarderDeviceStore", "LarderStores", "LarderReplication",
            "LarderTesting", "LarderTestSupport", "LarderTestTraits", "ReplicationHelper", postgres, libpq,
        ]
    ),
    .testTarget(
        name: "LarderInspectorTests",
        dependencies: [
            "LarderCore", "LarderFiles", "LarderDeviceStore", "LarderStores", "LarderTesting", "LarderTestSupport",
            "LarderTestTraits", inspector, lifecycle, logging,
        ]
    ),
    // The running program in the tests of the inspector's page, see Tests/Browser.
    .executableTarget(
        name: "InspectorHelper",
        dependencies: [
            "LarderCore", "LarderDeviceStore", "LarderStores", "LarderDefaults", "LarderDataSources",
            "LarderReplication", "LarderTesting", inspector,
        ],
        path: "Tests/InspectorHelper"
    ),
    .testTarget(
        name: "LarderDataSourcesTests",
        dependencies: [
            "LarderCore", "LarderFiles", "LarderDeviceStore", "LarderStores", "LarderDeviceStorage",
            "LarderDataSources", "LarderTesting",
            "LarderTestSupport", "LarderTestTraits", "DataSourcesHelper",
        ]
    ),
    // The other process in the tests of the outbox.
    .executableTarget(
        name: "DataSourcesHelper",
        dependencies: ["LarderCore", "LarderDeviceStore", "LarderDataSources", "LarderTestSupport"],
        path: "Tests/DataSourcesHelper"
    ),
    .testTarget(
        name: "DocumentationTests",
        dependencies: [
            "Larder", "LarderReplication", objects, "LarderTesting", "LarderTestSupport", "LarderTestTraits", logging,
            lifecycle,
        ],
        exclude: ["MessagesWithoutRemedy.txt"],
        swiftSettings: macroSettings
    ),
    .testTarget(
        name: "LarderCommandTests",
        dependencies: [
            "LarderCommand", "LarderCore", "LarderFiles", "LarderDeviceStore", "LarderStores", "LarderReplication",
            "LarderTesting", "LarderTestSupport", "LarderTestTraits", objects,
        ],
        swiftSettings: macroSettings
    ),
    // What Combine, SwiftUI, SwiftData and RealityKit declare under names of Larder's, for the tests of how each is written.
    .target(name: "LookAlikeCombine", path: "Tests/LookAlikes/Combine"),
    .target(name: "LookAlikeSwiftUI", dependencies: ["LookAlikeCombine"], path: "Tests/LookAlikes/SwiftUI"),
    .target(
        name: "LookAlikeSwiftData",
        dependencies: [objects],
        path: "Tests/LookAlikes/SwiftData",
        swiftSettings: macroSettings
    ),
    .target(name: "LookAlikeRealityKit", path: "Tests/LookAlikes/RealityKit"),
    .testTarget(
        name: "NameClashTests",
        dependencies: [
            "Larder", objects, "LarderTestSupport", "LookAlikeCombine", "LookAlikeSwiftUI", "LookAlikeSwiftData",
            "LookAlikeRealityKit",
        ],
        swiftSettings: macroSettings
    ),
    // The seed documents' samples, from one folder in three settings; the other two folders are links to it.
    .testTarget(
        name: "SeedTests",
        dependencies: ["Larder", "LarderTestSupport", objects],
        swiftSettings: macroSettings
    ),
    .testTarget(
        name: "SeedTestsSwift5",
        dependencies: ["Larder", "LarderTestSupport", objects],
        swiftSettings: macroSettings + [.swiftLanguageMode(.v5)]
    ),
    .testTarget(
        name: "SeedTestsMainActor",
        dependencies: ["Larder", "LarderTestSupport", objects],
        swiftSettings: macroSettings + [.defaultIsolation(MainActor.self)]
    ),
]

// `LARDER_TESTS=DeviceStoreTests,LarderCoreTests swift test` builds those test targets alone: the quick way while one area is
// worked on, and what the sanitizers' scratch folders build.
let chosenTests = Context.environment["LARDER_TESTS"].map { $0.split(separator: ",").map(String.init) }
let builtTests = tests.filter { test in chosenTests.map { !test.isTest || $0.contains(test.name) } ?? true }

let package = Package(
    name: "larder",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: libraries.filter { !$0.name.hasPrefix("C") }.map { .library(name: $0.name, targets: [$0.name]) } + [
        .executable(name: "larder", targets: ["LarderCommand"])
    ],
    traits: [
        .trait(
            name: "Command",
            description: "Builds the `larder` command. Adds swift-argument-parser to the packages that are fetched."
        ),
        .trait(
            name: "Configuration",
            description:
                "`LarderConfiguration`, a provider for swift-configuration. Adds it to the packages that are fetched."
        ),
        .trait(
            name: "Encryption",
            description: "`EncryptedStore` in `LarderStores`. Adds swift-crypto to the packages that are fetched."
        ),
        .trait(
            name: "Inspector",
            description:
                "`Inspector` in `LarderInspector`, and `larder inspect`. Adds hummingbird, SwiftNIO and swift-mustache to the packages that are fetched."
        ),
        .trait(
            name: "Objects",
            description:
                "Object storage (`LarderObjects`). Adds GRDB and swift-syntax to the packages that are fetched."
        ),
        .trait(
            name: "Postgres",
            description:
                "`PostgresEngine` in `LarderPostgres`. Needs libpq, the client library of PostgreSQL (Debian: libpq-dev)."
        ),
        .trait(
            name: "Replication",
            description:
                "Service lifecycle and metrics of `LarderReplication`. Adds swift-service-lifecycle and swift-metrics to the packages that are fetched."
        ),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.0.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.2"),
    ] + (builtMacros != nil ? [] : [.package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0")]),
    targets: libraries + (builtMacros != nil ? [] : macros) + tools + builtTests,
    swiftLanguageModes: [.v6]
)

// `LARDER_OMITTED="LarderCoreTests/Queue.swift LarderCoreTests/Time/Clock.swift"` omits these files of the test targets; see
// Scripts/sanitize.sh.
let omitted = (Context.environment["LARDER_OMITTED"] ?? "").split(separator: " ")
for target in package.targets where target.isTest {
    target.exclude += omitted.filter { $0.hasPrefix(target.name + "/") }.map {
        String($0.dropFirst(target.name.count + 1))
    }
}

for target in package.targets
where target.name.hasPrefix("Larder") || target.name.hasPrefix("DeviceStore")
    || target.name.hasPrefix("DataSources")
    || target.name.hasPrefix("ObjectStorage") || target.name.hasPrefix("Inspector")
    || ["DefaultsHelper", "ReplicationHelper", "ValueRoads", "ObjectProofTests"].contains(target.name)
{
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
            .enableUpcomingFeature("ExistentialAny"),
            // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
            .enableUpcomingFeature("InternalImportsByDefault"),
            // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
            .enableUpcomingFeature("MemberImportVisibility"),
        ]
        + (optimized.contains(target.name) ? [.unsafeFlags(["-O", "-assert-config", "Debug"])] : [])
}

// `LARDER_COVERAGE=1` counts the executed lines of the libraries. `swift build --enable-code-coverage` would also count those of the tests
// and the dependencies, which takes compiler and test time, and which nothing reads.
if Context.environment["LARDER_COVERAGE"] == "1" {
    for target in libraries where target.name.hasPrefix("Larder") {
        target.swiftSettings =
            (target.swiftSettings ?? []) + [.unsafeFlags(["-profile-generate", "-profile-coverage-mapping"])]
        target.linkerSettings = (target.linkerSettings ?? []) + [.unsafeFlags(["-profile-generate"])]
    }
}
