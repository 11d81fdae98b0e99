#if Inspector
import Testing

@testable import LarderInspector

@Suite struct TokenTests {
    @Test func tokenHas128RandomBitsAsHexadecimalDigits() {
        let tokens = (0..<100).map { _ in InspectorToken() }
        #expect(Set(tokens).count == 100)
        #expect(tokens.allSatisfy { InspectorToken($0.digits) == $0 })
    }

    @Test func tokenMatchesItselfOnly() {
        let token = InspectorToken()
        #expect(token.matches(token.digits))
        #expect(!token.matches(""))
        #expect(!token.matches(token.digits + "0"))
        #expect(!token.matches(String(token.digits.dropLast()) + "g"))
    }

    @Test(arguments: ["", "0123", String(repeating: "g", count: 32), String(repeating: "０", count: 32)])
    func textThatIsNoTokenIsRejected(_ text: String) { #expect(InspectorToken(text) == nil) }
}
#endif
