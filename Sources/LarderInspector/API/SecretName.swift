#if Inspector
/// A namespace for the rule that decides which values are masked until they are asked for.
///
/// The rule protects against glances, not against readers: a search, a filter or the order of a table still depends on masked values.
enum SecretName {
    /// What a word of a name may contain.
    private static let marks = [
        "secret", "password", "passwd", "passphrase", "passcode", "credential", "private", "session", "cookie",
        "authorization", "bearer", "jwt", "mnemonic",
    ]
    /// What one word, or several words together, may be.
    private static let compounds = [
        "apikey", "accesskey", "privatekey", "signingkey", "encryptionkey", "masterkey", "sharedkey", "clientkey",
        "licensekey", "stripekey", "aeskey", "hmackey", "rsakey", "sshkey", "pgpkey", "password", "passphrase",
        "passcode", "cardnumber", "connectionstring", "databaseurl", "dburl", "seedphrase",
    ]
    private static let words: Set<String> = [
        "token", "tokens", "pass", "pwd", "pin", "otp", "totp", "cvv", "cvc", "auth", "ssn", "iban", "seed", "dsn",
    ]
    /// The largest number of words that are read together.
    private static let longestCompound = 3

    /// Returns whether a key or the name of a column looks like that of a secret.
    ///
    /// Words may be joined in any way: `apiKey`, `APIKey`, `api_key`, `API-KEY`, `app.api.key`.
    static func isSecret(_ name: String) -> Bool {
        // The rule needs no more of a long key, and its cost stays bounded.
        let parts = parts(of: name.unicodeScalars.prefix(1_024))
        for (index, part) in parts.enumerated() {
            // Words that end so are joined in lower case, such as `accesstoken`.
            if words.contains(part) || part.hasSuffix("token") || part.hasSuffix("tokens") { return true }
            if marks.contains(where: part.contains) || compounds.contains(where: part.contains) { return true }
            var joined = part
            for next in parts[(index + 1)...].prefix(longestCompound - 1) {
                joined += next
                if compounds.contains(where: { joined == $0 || joined == $0 + "s" }) { return true }
            }
        }
        return false
    }

    /// Returns the words of a name in lower case.
    ///
    /// A word ends before other characters than letters, before a capital after a small letter, and before the last of several capitals if a
    /// small letter follows, as in "DBPassword".
    private static func parts(of name: some Sequence<Unicode.Scalar>) -> [String] {
        var parts: [String] = []
        var part: [Unicode.Scalar] = []
        func end(keeping count: Int = 0) {
            let ended = part.dropLast(count)
            if !ended.isEmpty { parts.append(String(String.UnicodeScalarView(ended)).lowercased()) }
            part = Array(part.suffix(count))
        }
        for scalar in name {
            guard scalar.properties.isAlphabetic else {
                end()
                continue
            }
            if let last = part.last {
                if scalar.properties.isUppercase, last.properties.isLowercase {
                    end()
                } else if scalar.properties.isLowercase, part.count > 1,
                    part.suffix(2).allSatisfy(\.properties.isUppercase)
                {
                    end(keeping: 1)
                }
            }
            part.append(scalar)
        }
        end()
        return parts
    }
}
#endif
