#if Objects
import Foundation
import LarderObjects

/// An entity whose tombstones keep values.
@Entity final class Shipment {
    @Attribute(.unique, .preserveValueOnDeletion) var code: String = ""
    @Attribute(.searchable) var title: String?
    var weight: Double = 0
    @Attribute(.preserveValueOnDeletion) var label: Data?
    var sentAt: Date?
    @Relationship(deleteRule: .cascade, inverse: \Piece.shipment, ordered: true) var pieces: [Piece]
    @Relationship(inverse: \Depot.shipments) var depot: Depot?
}

@Entity final class Piece {
    @Attribute(.preserveValueOnDeletion) var number: Int = 0
    @Relationship var shipment: Shipment?
}

@Entity final class Depot {
    var name: String = ""
    @Relationship var shipments: [Shipment]
}

enum ShipmentModel {
    static let model = ObjectModel([Shipment.self, Piece.self, Depot.self])

    /// Inserts a shipment with two pieces in a depot.
    @discardableResult
    static func insert(_ code: String, into storage: any WritableStorageType) throws -> Shipment {
        let shipment = try storage.insertNewObject(ofType: Shipment.self)
        (shipment.code, shipment.title, shipment.weight, shipment.label) = (code, "Tea", 1, Data([1, 2, 3]))
        for number in 1...2 {
            let piece = try storage.insertNewObject(ofType: Piece.self)
            piece.number = number
            shipment.addToPieces(piece)
        }
        let depot = try storage.insertNewObject(ofType: Depot.self)
        depot.name = "depot of \(code)"
        shipment.depot = depot
        return shipment
    }
}
#endif
