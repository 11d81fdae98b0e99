#if Inspector
/// A namespace for the rule that decides which values are masked until they are asked for.
enum SecretName {
    private static let marks = [
        "token", "secret", "password", "passwd", "passphrase", "passcode", "credential", "apikey", "accesskey",
        "privatekey", "signingkey", "encryptionkey", "private", "session", "cookie", "authorization", "bearer", "jwt",
    ]
    private static let words: Set<String> = ["pwd", "pin", "otp", "cvv", "cvc", "auth", "ssn", "iban"]

    /// Returns whether a key or the name of a column looks like that of a secret.
    ///
    /// Words may be joined in any way: `apiKey`, `api_key`, `API-KEY`, `app.api.key`.
    static func isSecret(_ name: String) -> Bool {
        // The rule needs no more of a long key, and its cost stays bounded.
        let name = name.unicodeScalars.prefix(1_024)
        let joined = String(String.UnicodeScalarView(name.filter(\.properties.isAlphabetic))).lowercased()
        if marks.contains(where: joined.contains) { return true }
        return parts(of: name).contains { words.contains($0) }
    }

    /// Returns the words of a name in lower case, which end before other characters and before capitals that follow small letters.
    private static func parts(of name: some Sequence<Unicode.Scalar>) -> [String] {
        var parts: [String] = []
        var part = ""
        var wasLower = false
        for scalar in name {
            guard scalar.properties.isAlphabetic else {
                if !part.isEmpty { parts.append(part.lowercased()) }
                part = ""
                wasLower = false
                continue
            }
            if scalar.properties.isUppercase, wasLower {
                parts.append(part.lowercased())
                part = ""
            }
            part.unicodeScalars.append(scalar)
            wasLower = scalar.properties.isLowercase
        }
        if !part.isEmpty { parts.append(part.lowercased()) }
        return parts
    }
}
#endif
