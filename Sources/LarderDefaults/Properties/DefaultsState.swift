#if canImport(SwiftUI)
public import SwiftUI

/// A typed key in a SwiftUI view: the view is drawn again when the value changes, whoever changes it.
///
/// ```swift
/// struct VolumeView: View {
///     @DefaultsState(\.volume) private var volume
///     var body: some View { Slider(value: $volume) }
/// }
/// ```
@MainActor
@propertyWrapper
public struct DefaultsState<Value: DefaultsSerializable & SendableMetatype>: DynamicProperty where Value.T: Sendable {
    @State private var property: DefaultsValue<Value>

    /// A property for a key of ``Defaults``.
    ///
    /// - Parameter keyPath: The key.
    public init(_ keyPath: KeyPath<DefaultsKeys, DefaultsKey<Value>>) {
        _property = State(initialValue: DefaultsValue(keyPath))
    }

    /// A property for any key in an adapter.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - adapter: What is read and written.
    public init<KeyStore: DefaultsKeyStore>(_ key: DefaultsKey<Value>, in adapter: DefaultsAdapter<KeyStore>) {
        _property = State(initialValue: DefaultsValue(key, in: adapter))
    }

    /// The value of the key; its default while nothing is stored or what is stored can't be read.
    public var wrappedValue: Value.T {
        get { property.wrappedValue }
        nonmutating set { property.wrappedValue = newValue }
    }

    /// The value as a binding, for controls.
    public var projectedValue: Binding<Value.T> {
        let property = property
        return Binding(get: { property.wrappedValue }, set: { property.wrappedValue = $0 })
    }
}
#endif
