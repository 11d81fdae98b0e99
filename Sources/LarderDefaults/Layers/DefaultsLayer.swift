public import Foundation
public import LarderCore

/// A source of read-only values that take precedence over the store, such as launch arguments or environment variables.
///
/// A layer's values are usually strings, which are converted to the key's type with `ConversionPolicy.documented`. For example, `YES`,
/// `true`, `T` and `1` are converted to `true`. If a value can't be converted, reads return the key's default, and
/// ``DefaultsAdapter/hasKey(_:)-(DefaultsKey<Value>)`` still returns `true`.
public struct DefaultsLayer: Sendable {
    /// The origin that ``DefaultsAdapter/origin(of:)-(DefaultsKey<Value>)`` returns for values of this layer.
    public let origin: DefaultsOrigin
    let value: @Sendable (String) -> StoredValue?

    /// Creates a layer whose values are returned by a closure.
    ///
    /// - Parameters:
    ///   - origin: The origin to report for the layer's values.
    ///   - value: A closure that returns the value for a key's name, or `nil` if the layer has no value for the key. The closure is called
    ///     on each read, on any thread.
    public init(origin: DefaultsOrigin, value: @escaping @Sendable (String) -> StoredValue?) {
        self.origin = origin
        self.value = value
    }

    /// Returns a layer of launch arguments of the form `-name value`, like those that `UserDefaults` reads on Apple platforms.
    ///
    /// An argument that begins with a single dash names a key. The next argument is the key's value, unless that argument begins with a
    /// dash and is not a number. The first argument, which is the path of the program, is skipped. If a name occurs twice, the later value
    /// is used.
    ///
    /// - Parameter arguments: The arguments to read. The default is the arguments of this process.
    /// - Returns: A layer to pass to an adapter's initializer.
    public static func arguments(_ arguments: [String] = ProcessInfo.processInfo.arguments) -> DefaultsLayer {
        var values: [StoreKey: StoredValue] = [:]
        var position = 1
        while position + 1 < arguments.count {
            let (name, value) = (arguments[position], arguments[position + 1])
            let isName = name.count > 1 && name.hasPrefix("-") && !name.hasPrefix("--")
            if isName, !value.hasPrefix("-") || Double(value) != nil {
                values[StoreKey(String(name.dropFirst()))] = .string(value)
                position += 2
            } else {
                position += 1
            }
        }
        return DefaultsLayer(origin: .argument) { [values] in values[StoreKey($0)] }
    }

    /// Returns a layer of environment variables whose names consist of a prefix and a key's name.
    ///
    /// - Parameters:
    ///   - prefix: The prefix, such as "MYAPP_".
    ///   - environment: The variables to read. The default is the environment of this process.
    /// - Returns: A layer to pass to an adapter's initializer.
    public static func environment(
        prefix: String,
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> DefaultsLayer {
        DefaultsLayer(origin: .environment) { environment[prefix + $0].map(StoredValue.string) }
    }
}

/// The source from which a key's value was read, such as a layer or the store.
public struct DefaultsOrigin: Sendable, Hashable, CustomStringConvertible {
    /// The name of the source, such as `stored`.
    public let description: String

    /// Creates an origin for a custom layer.
    ///
    /// - Parameter name: The name that ``description`` returns.
    public init(_ name: String) { description = name }

    /// The value comes from a launch argument.
    public static let argument = DefaultsOrigin("argument")
    /// The value comes from an environment variable.
    public static let environment = DefaultsOrigin("environment")
    /// The value comes from the store.
    public static let stored = DefaultsOrigin("stored")
    /// The value comes from a registered default.
    public static let registered = DefaultsOrigin("registered")
    /// The value is the key's default, because no source contains a value for the key.
    public static let keyDefault = DefaultsOrigin("key default")
}
