import LarderDefaults

/// The feature flags of the service, with their names, types and default values.
package struct Flags: DefaultsKeyStore, Sendable {
    package let newCheckout = DefaultsKey<Bool>("flag.newCheckout", defaultValue: false)
    package let resultsPerPage = DefaultsKey<Int>(
        "flag.resultsPerPage",
        defaultValue: 20,
        validation: .clamp(to: 1...100)
    )
    package let banner = DefaultsKey<String>("flag.banner", defaultValue: "Welcome")

    package init() {}
}
