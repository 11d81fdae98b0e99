// Declarations of SwiftUI that a program may import together with Larder, without implementations. The frameworks' documentation describes
// them.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported public import LookAlikeCombine

public protocol View {
    associatedtype Body
    var body: Body { get }
}

public protocol DynamicProperty {}
public protocol EnvironmentKey { associatedtype Value }
public struct EnvironmentValues {}
public struct Group<Content> {}
public struct Section<Parent, Content, Footer> {}
public struct List<SelectionValue, Content> {}
public struct ForEach<Data, ID, Content> {}
public struct Form<Content> {}
public struct Label<Title, Icon> {}
public struct Link<Label> {}
public struct Menu<Label, Content> {}
public struct Table<Value, Rows, Columns> {}
public struct Text {}
public struct Image {}
public struct Color {}
public struct Font {}
public struct Animation {}
public struct Transaction {}
public struct Namespace {}
public struct Preferences {}
public enum Visibility { case automatic, visible, hidden }

@propertyWrapper public struct State<Value>: DynamicProperty {
    public var wrappedValue: Value

    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

@propertyWrapper public struct Binding<Value>: DynamicProperty {
    public var wrappedValue: Value

    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

@propertyWrapper public struct AppStorage<Value>: DynamicProperty {
    public var wrappedValue: Value

    public init(wrappedValue: Value, _ key: String) { self.wrappedValue = wrappedValue }
}

@propertyWrapper public struct Environment<Value>: DynamicProperty {
    public var wrappedValue: Value

    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}
