import Foundation
import LarderCore
import LarderDeviceStore

extension Fleet {
    /// Shows the entries of the three replicas and of the cluster side by side, and fails unless all are the same.
    func checkAgreement() throws {
        terminal.scene("Do the three replicas agree?")
        var (replicas, cluster) = ([[String: StoredValue]](), [String: String]())
        var differences = 1
        // The last expired session may still have to leave.
        try? wait(within: 30, "the agreement") {
            replicas = try instances.map { try entries(of: $0) }
            cluster = try clusterEntries()
            differences = Self.rows(replicas, cluster).count { !$0.isSame }
            return differences == 0
        }
        let rows = Self.rows(replicas, cluster)
        let width = rows.map(\.key.count).max() ?? 0
        for row in rows {
            let key = row.key.padding(toLength: width, withPad: " ", startingAt: 0)
            let cells = row.cells.map { $0.padding(toLength: 20, withPad: " ", startingAt: 0) }.joined(separator: "  ")
            terminal.row("\(key)  \(cells)  \(row.isSame ? "same in the cluster" : "DIFFERENT")")
        }
        let positions = try instances.map { try "\($0.name) \($0.status().position ?? 0)" }.joined(separator: ", ")
        terminal.say("Positions: \(positions)")
        guard !rows.isEmpty, differences == 0 else {
            throw DemoFailure("\(differences) entries differ between the replicas or from the cluster.")
        }
        terminal.say("All three replicas and the cluster have the same \(rows.count) entries.")
        for instance in instances {
            guard try instance.inspectedKeys() == rows.map(\.key) else {
                throw DemoFailure("The inspector of instance \(instance.name) shows other entries.")
            }
        }
        terminal.say("The inspectors of the instances show them, too.")
    }

    private struct Row {
        let key: String
        let cells: [String]
        let isSame: Bool
    }

    private static func rows(_ replicas: [[String: StoredValue]], _ cluster: [String: String]) -> [Row] {
        let keys = Set(replicas.flatMap(\.keys)).union(cluster.keys)
        return keys.sorted().map { key in
            let values = replicas.map { $0[key] }
            let encoded = values.map { value in value.flatMap { try? hexadecimal($0.encoded()) } }
            return Row(
                key: key,
                cells: values.map { $0.map(String.init(describing:)) ?? "absent" },
                isSame: encoded.allSatisfy { $0 == cluster[key] }
            )
        }
    }

    private func entries(of instance: Instance) throws -> [String: StoredValue] {
        var options = DeviceStoreOptions()
        options.isReadOnly = true
        let entries = try DeviceStore(path: instance.replica, options: options).entries()
        return Dictionary(entries.map { ($0.key, $0.value) }) { first, _ in first }
    }

    /// The encoded values in the database by key, without Larder's own records.
    private func clusterEntries() throws -> [String: String] {
        let lines = try current.sql(
            """
            select convert_from(entry.key, 'UTF8') || ' ' || encode(entry.value, 'hex')
            from larder.entry join larder.store on store.id = entry.store
            where store.name = 'flags' and get_byte(entry.key, 0) <> 0
            """,
            in: "app"
        )
        var entries: [String: String] = [:]
        for line in lines.split(separator: "\n") {
            // A key of the example contains no space.
            let words: [Substring] = line.split(separator: " ")
            if words.count == 2 { entries[String(words[0])] = String(words[1]) }
        }
        return entries
    }
}

private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }.joined()
}
