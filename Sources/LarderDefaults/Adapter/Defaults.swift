// Capitalized to read like a type whose properties are keys.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The adapter for this program's settings.
///
/// The keys are the properties of ``DefaultsKeys``, and the values are stored in the device's storage, `StandardStore.shared`.
public let Defaults = DefaultsAdapter(keyStore: DefaultsKeys())
