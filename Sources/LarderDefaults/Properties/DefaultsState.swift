#if canImport(SwiftUI)
public import SwiftUI

/// A property of a SwiftUI view that reads and writes the value of a typed key.
///
/// SwiftUI updates the view when any code changes the value.
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

    /// Creates a property that reads and writes a key of ``Defaults``.
    ///
    /// - Parameter keyPath: The path from ``DefaultsKeys`` to the key.
    public init(_ keyPath: KeyPath<DefaultsKeys, DefaultsKey<Value>>) {
        _property = State(initialValue: DefaultsValue(keyPath))
    }

    /// Creates a property that reads and writes a key through an adapter.
    ///
    /// - Parameters:
    ///   - key: The key whose value this property holds.
    ///   - adapter: The adapter through which to read and write.
    public init<KeyStore: DefaultsKeyStore>(_ key: DefaultsKey<Value>, in adapter: DefaultsAdapter<KeyStore>) {
        _property = State(initialValue: DefaultsValue(key, in: adapter))
    }

    /// The value of the key, or the key's default if nothing is stored or the stored value can't be read.
    public var wrappedValue: Value.T {
        get { property.wrappedValue }
        nonmutating set { property.wrappedValue = newValue }
    }

    /// A binding to the value, to pass to a control such as a slider.
    public var projectedValue: Binding<Value.T> {
        let property = property
        return Binding(get: { property.wrappedValue }, set: { property.wrappedValue = $0 })
    }
}
#endif
