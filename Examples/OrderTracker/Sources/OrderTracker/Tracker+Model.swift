import Foundation
import LarderObjects

extension Tracker {
    /// The object model of the tracker's database.
    ///
    /// - Version 2 added `placedBy` and its index. The step from version 1 is inferred.
    /// - Version 3 moved the customers' names to an entity of their own, in a stage.
    /// - Version 4 gave up the notes and replaced the statuses. The step is inferred, and the entity declares what may be lost.
    public static let model = ObjectModel(
        [StoredOrder.self, StoredCustomer.self, StoredOrderLine.self],
        version: 4,
        plan: plan
    )

    /// The earlier versions, and the stages between them.
    public static let plan = MigrationPlan(
        versions: .files(in: frozenVersions),
        stages: [MigrationStage(from: 2, to: 3, splitCustomers)]
    )

    /// The folder of the frozen versions, `v1.json` to `v4.json`.
    public static let frozenVersions = Bundle.module.bundleURL.appending(path: "Models")

    /// Inserts one customer for each name.
    @Sendable private static func splitCustomers(_ migration: Migration) throws {
        var customers: [String: ObjectID] = [:]
        try migration.migrate("StoredOrder") { old, new in
            guard let name = old["customer"] as String? else { return }
            let customer = try customers[name] ?? migration.insert("StoredCustomer") { $0["name"] = name }
            customers[name] = customer
            try new.set("customer", to: customer)
        }
    }
}
