#if Inspector
/// The path and the query of a request, decoded.
struct RequestTarget {
    /// The parts of the path between slashes.
    let path: [String]
    /// The parameters of the query.
    private let parameters: [String: String]

    /// The maximum length of a path and query in bytes.
    static let maximumLength = 32_768

    /// Decodes the target of a request.
    ///
    /// - Throws: ``Refusal`` if the target is too long, is not a path, has an invalid escape or invalid UTF-8, or repeats a parameter.
    init(_ target: String) throws {
        guard target.utf8.count <= Self.maximumLength else { throw Refusal.tooLarge }
        guard target.hasPrefix("/"), !target.utf8.contains(UInt8(ascii: "#")) else {
            throw Refusal.badRequest("The target of the request is not a path. Add a slash at its beginning.")
        }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = try parts[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
            try Self.decoded($0, plusIsSpace: false)
        }
        var parameters: [String: String] = [:]
        for pair in parts.count == 2 ? parts[1].split(separator: "&") : [] {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.decoded(sides[0], plusIsSpace: true)
            let value = try sides.count == 2 ? Self.decoded(sides[1], plusIsSpace: true) : ""
            guard parameters.updateValue(value, forKey: name) == nil else {
                throw Refusal.badRequest("The parameter \(name.debugDescription) is repeated. Specify it once.")
            }
        }
        self.parameters = parameters
    }

    /// Throws an error if there is a parameter with another name.
    func allow(_ names: [String]) throws {
        if let name = parameters.keys.sorted().first(where: { !names.contains($0) }) {
            throw Refusal.badRequest(
                names.isEmpty
                    ? "The path has no parameter \(name.debugDescription). Remove it."
                    : "The path has no parameter \(name.debugDescription). Use \(names.joined(separator: ", "))."
            )
        }
    }

    func text(_ name: String) -> String? { parameters[name] }

    func required(_ name: String) throws -> String {
        guard let value = parameters[name] else {
            throw Refusal.badRequest("The parameter \"\(name)\" is missing. Add it.")
        }
        return value
    }

    func integer(_ name: String, in range: ClosedRange<Int>, or missing: Int) throws -> Int {
        guard let text = parameters[name] else { return missing }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text), range.contains(number)
        else {
            throw Refusal.badRequest(
                "The parameter \"\(name)\" is not a number from \(range.lowerBound) to \(range.upperBound). Correct it."
            )
        }
        return number
    }

    /// Decodes percent-encoded UTF-8.
    private static func decoded(_ text: Substring, plusIsSpace: Bool) throws -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    throw Refusal.badRequest(
                        "An escape in the path or query is invalid. Write a byte as % and two hexadecimal digits."
                    )
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else {
            throw Refusal.badRequest(
                "The path or query is not UTF-8. Write its characters as UTF-8, and the bytes with %."
            )
        }
        return decoded
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
#endif
