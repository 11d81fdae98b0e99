#if Objects
import SwiftDiagnostics
import SwiftSyntax

/// What can be wrong in one class.
struct EntityDiagnostic: DiagnosticMessage {
    let name: String
    let message: String
    var diagnosticID: MessageID { MessageID(domain: "LarderObjects", id: name) }
    var severity: DiagnosticSeverity { .error }

    static let notAClass = EntityDiagnostic(
        name: "notAClass",
        message: "@Entity works on a class: objects have identity. Store a value as a Codable attribute of one"
    )
    static let notAStruct = EntityDiagnostic(
        name: "notAStruct",
        message: "@Persistable works on a struct; a class is made an entity by @Entity"
    )
    static let notFinal = EntityDiagnostic(name: "notFinal", message: "An @Entity class must be final")
    static func entitySuperclass(_ name: String) -> EntityDiagnostic {
        EntityDiagnostic(
            name: "entitySuperclass",
            message:
                "An @Entity class can't inherit from '\(name)', which is one itself: give it a relationship to '\(name)', or make "
                + "what both share a protocol"
        )
    }
    static let generic = EntityDiagnostic(name: "generic", message: "An @Entity class can't be generic")
    static let constant = EntityDiagnostic(
        name: "constant",
        message: "A property of an @Entity is set after the object was made: it must be a var"
    )
    static let observed = EntityDiagnostic(
        name: "observed",
        message: "A stored property of an @Entity can't have willSet or didSet"
    )
    static let severalNames = EntityDiagnostic(
        name: "severalNames",
        message: "Declare each property of an @Entity on its own"
    )
    static let transientOptions = EntityDiagnostic(
        name: "transientOptions",
        message: "A transient property is not stored: nothing else can be said about it"
    )
    static let transientDefault = EntityDiagnostic(
        name: "transientDefault",
        message: "A transient property is there before anything is read: give it a default"
    )
    static let noType = EntityDiagnostic(name: "noType", message: "A property of an @Entity needs its type written out")
    static func unsupported(_ type: String) -> EntityDiagnostic {
        EntityDiagnostic(
            name: "unsupported",
            message:
                "'\(type)' can't be stored: use a number, String, Data, Date, URL, UUID, Decimal, an enum with raw values, "
                + "anything Codable, or mark the property @Attribute(.transient)"
        )
    }
    static func noDefault(_ type: String) -> EntityDiagnostic {
        EntityDiagnostic(
            name: "noDefault",
            message: "A property of type '\(type)' needs a default, or must be optional"
        )
    }
    static let relationshipType = EntityDiagnostic(
        name: "relationshipType",
        message: "A relationship has the type Other?, Other or [Other]"
    )
}

/// The text of a fix.
struct EntityFix: FixItMessage {
    let message: String
    var fixItID: MessageID { MessageID(domain: "LarderObjects", id: message) }
}
#endif
