import Foundation
import LarderCore
import LarderDeviceStorage
import LarderStores
import Testing

/// Tests the `UserDefaults` facade over a memory store.
struct UserDefaultsFacadeTests {
    let store = MemoryStore()
    var defaults: UserDefaults { UserDefaultsFacade(store) }

    // MARK: - Setting

    @Test func typedSettersPreserveValueType() throws {
        let defaults = defaults
        defaults.set(5 as Int, forKey: "int")
        defaults.set(Float(0.1), forKey: "float")
        defaults.set(2.0, forKey: "double")
        defaults.set(true, forKey: "bool")
        defaults.set(URL(string: "https://a.b/c%20d?e=f#g"), forKey: "url")
        #expect(try store.get("int") == .int(5))
        #expect(try store.get("float") == .float(0.1))
        #expect(try store.get("double") == .double(2))
        #expect(try store.get("bool") == .bool(true))
        #expect(try store.get("url") == .url("https://a.b/c%20d?e=f#g"))
        #expect(store.verify().isIntact)
    }

    @Test func settingNilRemovesValue() throws {
        let defaults = defaults
        for key in ["any", "url", "optional"] { defaults.set(1, forKey: key) }
        defaults.set(nil as Any?, forKey: "any")
        defaults.set(nil as URL?, forKey: "url")
        defaults.set(Int?.none as Any, forKey: "optional")
        #expect(try store.count() == 0)
    }

    @Test(
        arguments: [
            Unstorable(), UUID(), Set([1]), Decimal(1.5), Character("a"), [UUID()], [1: 2],
        ] as [any Sendable]
    )
    func unsupportedValueIsReportedAndOldValueIsKept(value: any Sendable) throws {
        let defaults = defaults
        defaults.set("old", forKey: "key")
        let codes = issueCodes { defaults.set(value, forKey: "key") }
        #expect(codes == [.unsupportedValue])
        #expect(defaults.string(forKey: "key") == "old")
    }

    @Test func topLevelNullIsReported() {
        let defaults = defaults
        defaults.set("old", forKey: "key")
        #expect(issueCodes { defaults.set(NSNull(), forKey: "key") } == [.unsupportedValue])
        #expect(defaults.string(forKey: "key") == "old")
    }

    @Test func invalidKeyIsReported() {
        let defaults = defaults
        let key = String(repeating: "k", count: StoreKey.maximumLength + 1)
        #expect(issueCodes { defaults.set(1, forKey: key) } == [.writeFailed])
        #expect(issueCodes { _ = defaults.object(forKey: key) } == [.readFailed])
        #expect(issueCodes { defaults.removeObject(forKey: key) } == [.writeFailed])
    }

    // MARK: - Getting

    @Test func objectIsReturnedAsCorrespondingSwiftType() {
        let defaults = defaults
        defaults.set([1, 2], forKey: "ints")
        defaults.set(["a": 1.5], forKey: "doubles")
        #expect(defaults.object(forKey: "ints") as? [Int] == [1, 2])
        #expect(defaults.object(forKey: "doubles") as? [String: Double] == ["a": 1.5])
        #expect(defaults.array(forKey: "ints") as? [Int] == [1, 2])
        #expect(defaults.dictionary(forKey: "doubles") as? [String: Double] == ["a": 1.5])
        #expect(defaults.stringArray(forKey: "ints") == nil)
        #expect(defaults.array(forKey: "doubles") == nil)
        #expect(defaults.dictionary(forKey: "ints") == nil)
    }

    @Test func missingValueReadsAsDocumentedDefault() {
        let defaults = defaults
        #expect(isAbsent(defaults.object(forKey: "none")))
        #expect(defaults.integer(forKey: "none") == 0)
        #expect(defaults.float(forKey: "none") == 0)
        #expect(defaults.double(forKey: "none") == 0)
        #expect(defaults.bool(forKey: "none") == false)
        #expect(defaults.string(forKey: "none") == nil)
        #expect(defaults.url(forKey: "none") == nil)
        #expect(defaults.data(forKey: "none") == nil)
        #expect(defaults.array(forKey: "none") == nil)
        #expect(defaults.dictionary(forKey: "none") == nil)
        #expect(defaults.stringArray(forKey: "none") == nil)
    }

    @Test func extremeNumberIsReadExactly() {
        let defaults = defaults
        defaults.set(Int.max, forKey: "max")
        #expect(defaults.integer(forKey: "max") == .max)
        #expect(defaults.string(forKey: "max") == String(Int.max))
    }

    @Test func numberReadsAsString() {
        let defaults = defaults
        defaults.set(3.14159265359, forKey: "pi")
        #expect(defaults.string(forKey: "pi") == "3.14159265359")
        #expect(defaults.integer(forKey: "pi") == 3)
        #expect(defaults.bool(forKey: "pi"))
    }

    @Test(arguments: ["🙂", " 🙂", "1🙂", "", "abc", "\u{0}"])
    func stringReadsAsLeadingNumberOrZero(text: String) {
        let defaults = defaults
        defaults.set(text, forKey: "text")
        #expect(defaults.integer(forKey: "text") == (text == "1🙂" ? 1 : 0))
        #expect(defaults.double(forKey: "text") == (text == "1🙂" ? 1 : 0))
        #expect(defaults.float(forKey: "text") == (text == "1🙂" ? 1 : 0))
        #expect(defaults.string(forKey: "text") == text)
    }

    @Test func urlRoundTrips() {
        let defaults = defaults
        let url = URL(string: "https://user@a.b:8080/c%20d?e=f#g")
        defaults.set(url, forKey: "url")
        #expect(defaults.url(forKey: "url") == url)
        #expect(defaults.object(forKey: "url") as? URL == url)
    }

    @Test func nonArchiveDataIsNotReadAsURL() {
        let defaults = defaults
        defaults.set(Data([1, 2, 3]), forKey: "data")
        #expect(defaults.url(forKey: "data") == nil)
        #expect(defaults.data(forKey: "data") == Data([1, 2, 3]))
    }

    @Test func stringArrayRoundTrips() {
        let defaults = defaults
        defaults.set(["a", "e\u{301}"], forKey: "texts")
        #expect(defaults.stringArray(forKey: "texts") == ["a", "e\u{301}"])
    }

    // MARK: - Domains

    @Test func registeredValueIsReadForMissingKey() {
        let defaults = defaults
        defaults.register(defaults: ["volume": 5])
        #expect(defaults.integer(forKey: "volume") == 5)
        defaults.set(7, forKey: "volume")
        #expect(defaults.integer(forKey: "volume") == 7)
        defaults.removeObject(forKey: "volume")
        #expect(defaults.integer(forKey: "volume") == 5)
    }

    @Test func registeredValueIsNotSharedBetweenFacades() throws {
        defaults.register(defaults: ["volume": 5])
        #expect(isAbsent(defaults.object(forKey: "volume")))
        #expect(try store.count() == 0)
    }

    @Test func registeringUnstorableValueIsReported() {
        let defaults = defaults
        let codes = issueCodes { defaults.register(defaults: ["bad": UUID(), "good": 1]) }
        #expect(codes == [.unsupportedValue])
        #expect(defaults.integer(forKey: "good") == 1)
    }

    @Test func dictionaryRepresentationPrefersStoredValues() {
        let defaults = defaults
        defaults.register(defaults: ["a": 1, "b": 1])
        defaults.set(2, forKey: "a")
        #expect(defaults.dictionaryRepresentation() as? [String: Int] == ["a": 2, "b": 1])
    }

    @Test func persistentDomainNamedLikeStoreContainsStoredValues() throws {
        let defaults = UserDefaultsFacade(store, domainName: "app")
        defaults.set(1, forKey: "old")
        defaults.setPersistentDomain(["new": 2], forName: "app")
        #expect(try store.keys() == ["new"])
        #expect(defaults.persistentDomain(forName: "app") as? [String: Int] == ["new": 2])
        defaults.removePersistentDomain(forName: "app")
        #expect(try store.count() == 0)
    }

    @Test func persistentDomainWithInvalidValueIsRejectedAtomically() throws {
        let defaults = UserDefaultsFacade(store, domainName: "app")
        defaults.set(1, forKey: "old")
        let codes = issueCodes { defaults.setPersistentDomain(["good": 1, "bad": UUID()], forName: "app") }
        #expect(codes == [.unsupportedValue])
        #expect(try store.keys() == ["old"])
    }

    @Test func changingAnotherDomainIsReportedAndHasNoEffect() throws {
        let defaults = UserDefaultsFacade(store, domainName: "app")
        defaults.set(1, forKey: "old")
        let codes = issueCodes {
            defaults.setPersistentDomain([:], forName: "other")
            defaults.removePersistentDomain(forName: "other")
            defaults.addSuite(named: "other")
            defaults.removeSuite(named: "other")
        }
        #expect(codes == [.unsupportedValue, .unsupportedValue, .unsupportedValue])
        #expect(defaults.persistentDomain(forName: "other") == nil)
        #expect(try store.keys() == ["old"])
    }

    @Test func volatileDomainIsNotSearchedByGetters() {
        let defaults = defaults
        defaults.setVolatileDomain(["a": 1], forName: "mine")
        #expect(defaults.volatileDomainNames == ["NSRegistrationDomain", "mine"])
        #expect(defaults.volatileDomain(forName: "mine") as? [String: Int] == ["a": 1])
        #expect(isAbsent(defaults.object(forKey: "a")))
        defaults.removeVolatileDomain(forName: "mine")
        #expect(defaults.volatileDomain(forName: "mine").isEmpty)
    }

    @Test func registrationDomainContainsRegisteredValues() {
        let defaults = defaults
        defaults.register(defaults: ["a": 1])
        defaults.setVolatileDomain(["b": 2], forName: UserDefaults.registrationDomain)
        #expect(defaults.volatileDomain(forName: UserDefaults.registrationDomain) as? [String: Int] == ["b": 2])
        #expect(defaults.integer(forKey: "b") == 2)
        #expect(isAbsent(defaults.object(forKey: "a")))
    }

    @Test func objectIsForcedAlwaysReturnsFalse() {
        #expect(!defaults.objectIsForced(forKey: "a"))
        #expect(!defaults.objectIsForced(forKey: "a", inDomain: "app"))
    }

    @Test func synchronizeReturnsTrueForHealthyStore() {
        #expect(defaults.synchronize())
    }
}

private struct Unstorable: Sendable {}
