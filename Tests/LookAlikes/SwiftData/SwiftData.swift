// Declarations of SwiftData that a program may import together with Larder, without implementations. The frameworks' documentation
// describes them.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

#if Objects
// The macros expand to nothing, through a macro without an expansion.
@attached(peer)
public macro Model() = #externalMacro(module: "LarderObjectsMacros", type: "MarkerMacro")

@attached(peer)
public macro Attribute(
    _ options: Schema.Attribute.Option...,
    originalName: String? = nil,
    hashModifier: String? = nil
) =
    #externalMacro(module: "LarderObjectsMacros", type: "MarkerMacro")

@attached(peer)
public macro Relationship(
    _ options: Schema.Relationship.Option...,
    deleteRule: Schema.Relationship.DeleteRule = .nullify,
    minimumModelCount: Int? = 0,
    maximumModelCount: Int? = 0,
    originalName: String? = nil,
    inverse: AnyKeyPath? = nil,
    hashModifier: String? = nil
) = #externalMacro(module: "LarderObjectsMacros", type: "MarkerMacro")

@attached(peer)
public macro Transient() = #externalMacro(module: "LarderObjectsMacros", type: "MarkerMacro")

@attached(peer)
public macro Query() = #externalMacro(module: "LarderObjectsMacros", type: "MarkerMacro")
#endif

public protocol PersistentModel: AnyObject {}
public struct PersistentIdentifier: Hashable, Sendable {}
public struct FetchDescriptor<T> {}
public struct FetchResultsCollection<T> {}
public struct Query<Element, Result> {
    public init() {}
}
public final class ModelContext {}
public final class ModelContainer {}
public struct ModelConfiguration {}
public protocol ModelActor {}
public protocol DataStore {}
public final class DefaultStore: DataStore {}
public protocol VersionedSchema {}
public protocol SchemaMigrationPlan {}
public enum MigrationStage {}

public final class Schema {
    public final class Entity {}

    public final class Attribute {
        public struct Option: Sendable {
            public static var unique: Option { Option() }
            public static var externalStorage: Option { Option() }
        }
    }

    public final class Relationship {
        public struct Option: Sendable {
            public static var unique: Option { Option() }
        }

        public enum DeleteRule: Sendable { case noAction, nullify, cascade, deny }
    }
}
