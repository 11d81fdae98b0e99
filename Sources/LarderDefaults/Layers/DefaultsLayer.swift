public import Foundation
public import LarderCore

/// Values that are read before what is stored, and never written: launch arguments, the environment, or values of your own.
///
/// A layer's values are text as a rule and are read as the key's type by the documented conversions: `YES`, `true`, `T` and `1` are
/// `true`. One that does not convert reads as the key's default, and ``DefaultsAdapter/hasKey(_:)-(DefaultsKey<Value>)`` is `true`
/// all the same.
public struct DefaultsLayer: Sendable {
    /// What ``DefaultsAdapter/origin(of:)-(DefaultsKey<Value>)`` tells of values from here.
    public let origin: DefaultsOrigin
    let value: @Sendable (String) -> StoredValue?

    /// A layer of your own.
    ///
    /// - Parameters:
    ///   - origin: What its values are said to come from.
    ///   - value: The value under the name of a key; called at each read, from any thread.
    public init(origin: DefaultsOrigin, value: @escaping @Sendable (String) -> StoredValue?) {
        self.origin = origin
        self.value = value
    }

    /// Launch arguments of the form `-name value`, as `UserDefaults` takes them on Apple platforms.
    ///
    /// A name is what follows one dash. Its value is the next argument, unless that begins with a dash and is no number. The
    /// first argument, the program, is left out, and of two arguments with one name the later one counts.
    ///
    /// - Parameter arguments: The arguments; those of this process unless given.
    /// - Returns: The layer.
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

    /// Environment variables whose name is a prefix and the name of a key.
    ///
    /// - Parameters:
    ///   - prefix: What stands before the name of the key, such as "MYAPP_".
    ///   - environment: The variables; those of this process unless given.
    /// - Returns: The layer.
    public static func environment(
        prefix: String,
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> DefaultsLayer {
        DefaultsLayer(origin: .environment) { environment[prefix + $0].map(StoredValue.string) }
    }
}

/// Where the value of a key comes from.
public struct DefaultsOrigin: Sendable, Hashable, CustomStringConvertible {
    /// The name that is printed.
    public let description: String

    /// An origin of your own, for a layer of your own.
    ///
    /// - Parameter name: Printed.
    public init(_ name: String) { description = name }

    /// A launch argument.
    public static let argument = DefaultsOrigin("argument")
    /// A variable of the environment.
    public static let environment = DefaultsOrigin("environment")
    /// The store.
    public static let stored = DefaultsOrigin("stored")
    /// A registered default.
    public static let registered = DefaultsOrigin("registered")
    /// The default in the key.
    public static let keyDefault = DefaultsOrigin("key default")
}
