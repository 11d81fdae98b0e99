public import LarderCore

/// The typed keys that a program declares, as inspection tools display them: with their types, defaults and current values.
///
/// ```swift
/// let keys = InspectedKeys(Defaults.resolved, Defaults.keyStore.launchCount, Defaults.keyStore.userName)
/// ```
public struct InspectedKeys: Inspectable {
    private static let table = "keys"
    private static let columns = [
        InspectionColumn("name", type: "String"), InspectionColumn("type", type: "String"),
        InspectionColumn("value", type: "any"), InspectionColumn("origin", type: "String"),
        InspectionColumn("default", type: "any"),
    ]

    private let place: DefaultsPlace
    /// The keys that are not stored properties of the key store.
    private let listed: [any DeclaredKey & Sendable]
    private let found: @Sendable () -> [any DeclaredKey]
    /// The name of the key store.
    private let name: String

    /// Creates the display of the keys of an adapter.
    ///
    /// The keys that are stored properties of the key store are found without being listed.
    ///
    /// - Parameters:
    ///   - adapter: The adapter that reads the keys.
    ///   - keys: The keys that computed properties of the key store return.
    public init<KeyStore: Sendable, each Value>(
        _ adapter: DefaultsAdapter<KeyStore>,
        _ keys: repeat DefaultsKey<each Value>
    ) where repeat (each Value).T: Sendable {
        place = adapter.place
        name = KeyStore.keyStoreName
        let keyStore = adapter.keyStore
        found = { DefaultsAdapter(keyStore: keyStore).declaredKeys }
        var listed: [any DeclaredKey & Sendable] = []
        for key in repeat each keys { listed.append(key) }
        self.listed = listed
    }

    /// The keys, sorted by name.
    private var declared: [any DeclaredKey] {
        var seen: Set<StoreKey> = []
        return (found() + listed).filter { seen.insert(StoreKey($0._key)).inserted }
            .sorted { $0._key.precedesByBytes($1._key) }
    }

    /// The names of the key store and of the store that holds the values.
    public var inspectionName: String { "\(name) in \(place.store.inspectionName)" }
    /// The kind, which is "typed keys".
    public var inspectionKind: String { "typed keys" }
    /// The role `InspectionRole.typedKeys`.
    public var inspectionRole: InspectionRole { .typedKeys }
    /// The channel of the store that holds the values.
    public var inspectionIssues: IssueChannel? { place.store.issues }

    /// Returns the number of keys, and the number of those that have a value of their own.
    public func inspectionFacts() throws -> [InspectionFact] {
        let records = try declared.map { try record($0) }
        let changed = records.count { $0.values[3] != .string(DefaultsOrigin.keyDefault.description) }
        return [InspectionFact("keys", String(records.count)), InspectionFact("keys with a value", String(changed))]
    }

    /// Returns the keys with their current values as rows.
    public func inspectionRows(prefix: String, limit: Int) throws -> [InspectionRow] {
        try declared.filter { $0._key.utf8.starts(with: prefix.utf8) }.prefix(max(0, limit)).map { key in
            InspectionRow(key: key._key, kind: key.typeName, value: try record(key).values[2].description)
        }
    }

    /// Returns the table "keys", with the columns "name", "type", "value", "origin" and "default".
    public func inspectionTables() throws -> [InspectionTable] {
        [InspectionTable(name: Self.table, count: declared.count, columns: Self.columns)]
    }

    /// Returns the table "keys" without reading values, or `nil` for another name.
    public func inspectionTable(named name: String) -> InspectionTable? {
        name == Self.table ? InspectionTable(name: Self.table, columns: Self.columns) : nil
    }

    /// Returns the next keys, sorted by name.
    public func inspectionPage(_ query: InspectionQuery) throws -> InspectionPage {
        guard query.table == Self.table else {
            throw InspectionQueryError("There is no table \(query.table.debugDescription). Name the table \"keys\".")
        }
        return try records().page(query)
    }

    /// Returns one key, or `nil` if the program has not declared it.
    public func inspectionRecord(_ key: String, in table: String) throws -> InspectionRecord? {
        guard table == Self.table else { return nil }
        return try declared.first { $0._key.hasSameBytes(as: key) }.map { try record($0) }
    }

    /// Calls a closure with the changes of the declared keys.
    public func observeForInspection(
        _ receive: @escaping @Sendable (InspectionEvent) -> Void
    ) throws -> StoreObservation? {
        let names = Set(declared.map { StoreKey($0._key) })
        return try place.store.observeForInspection { event in
            guard case .changes(let changes, let origin) = event else { return receive(event) }
            let known = changes.filter { names.contains(StoreKey($0.key)) }.map { change in
                var change = change
                change.table = Self.table
                // A declared key remains when its value is removed.
                change.kind = .updated
                return change
            }
            if !known.isEmpty { receive(.changes(known, origin: origin)) }
        }
    }

    // MARK: - Records

    private func records() throws -> InspectionRecords {
        InspectionRecords(Self.table, Self.columns, try declared.map { try record($0) })
    }

    private func record(_ key: any DeclaredKey) throws -> InspectionRecord {
        let (value, origin) = try key.current(in: place)
        var problem: String?
        var byDefault: StoredValue?
        do {
            byDefault = try key.storedDefault()
        } catch {
            problem = "The default can't be shown: \(error)"
        }
        return InspectionRecord(
            key: key._key,
            values: [
                .string(key._key), .string(key.typeName), value ?? byDefault ?? .null, .string(origin.description),
                byDefault ?? .null,
            ],
            problem: problem
        )
    }
}
