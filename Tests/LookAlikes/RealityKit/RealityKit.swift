// Declarations of RealityKit that a program may import together with Larder, without implementations. The frameworks' documentation
// describes them.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

open class Entity {
    public init() {}
}
