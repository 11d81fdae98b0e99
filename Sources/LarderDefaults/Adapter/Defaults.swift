// Written with a capital, as the documents do: it reads like a type with keys for properties.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The settings of this program: the keys of ``DefaultsKeys`` over the device's storage, `DeviceStorage.standard`.
public let Defaults = DefaultsAdapter(keyStore: DefaultsKeys())
