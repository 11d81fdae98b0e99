#if Objects
import SwiftDiagnostics
import SwiftSyntax

/// A diagnostic for an error in a single declaration.
struct EntityDiagnostic: DiagnosticMessage {
    let name: String
    let message: String
    var diagnosticID: MessageID { MessageID(domain: "LarderObjects", id: name) }
    var severity: DiagnosticSeverity { .error }

    static let notAClass = EntityDiagnostic(
        name: "notAClass",
        message:
            "@Entity can only be applied to a class; store a struct as a Codable attribute, or mark it @Persistable"
    )
    static let notAStruct = EntityDiagnostic(
        name: "notAStruct",
        message: "@Persistable can only be applied to a struct; mark a class as @Entity"
    )
    static let notFinal = EntityDiagnostic(name: "notFinal", message: "An @Entity class must be final")
    static func entitySuperclass(_ name: String) -> EntityDiagnostic {
        EntityDiagnostic(
            name: "entitySuperclass",
            message:
                "An @Entity class can't inherit from '\(name)', which is an entity; declare a relationship to '\(name)', or move "
                + "shared members to a protocol"
        )
    }
    static let generic = EntityDiagnostic(
        name: "generic",
        message: "An @Entity class can't be generic; remove the generic parameters"
    )
    static let constant = EntityDiagnostic(
        name: "constant",
        message: "A stored property of an @Entity class must be a var"
    )
    static let observed = EntityDiagnostic(
        name: "observed",
        message: "A stored property of an @Entity class can't have willSet or didSet; remove the observers"
    )
    static let severalNames = EntityDiagnostic(
        name: "severalNames",
        message: "Each stored property of an @Entity class needs its own declaration"
    )
    static let transientOptions = EntityDiagnostic(
        name: "transientOptions",
        message: "A transient property is not stored and can't have other options; remove these options"
    )
    static let transientDefault = EntityDiagnostic(
        name: "transientDefault",
        message: "A transient property needs a default value"
    )
    static let noType = EntityDiagnostic(
        name: "noType",
        message: "A stored property of an @Entity class needs an explicit type"
    )
    static func unsupported(_ type: String) -> EntityDiagnostic {
        EntityDiagnostic(
            name: "unsupported",
            message:
                "'\(type)' can't be stored; use a number, String, Data, Date, URL, UUID, Decimal, an enum with raw values or "
                + "another Codable type, or mark the property @Attribute(.transient)"
        )
    }
    static func noDefault(_ type: String) -> EntityDiagnostic {
        EntityDiagnostic(
            name: "noDefault",
            message: "A property of type '\(type)' needs a default value, or must be optional"
        )
    }
    static let relationshipType = EntityDiagnostic(
        name: "relationshipType",
        message: "A relationship must have the type Other?, Other or [Other]"
    )
}

/// The message of a fix-it suggestion.
struct EntityFix: FixItMessage {
    let message: String
    var fixItID: MessageID { MessageID(domain: "LarderObjects", id: message) }
}
#endif
