import Foundation
import LarderCore
import LarderTestSupport
import Testing

/// Tests of the conversions that the footnotes in Documentation/Conversions.md describe, ordered by the letters of the footnotes.
@Suite struct ConversionFootnoteTests {
    // MARK: a, numbers with a fraction as integers

    @Test(arguments: [(3.14159265359, 3), (-5.9, -5), (0.999, 0), (-0.0, 0), (0x1p62, 1 << 62)])
    func readingDoubleAsIntTruncatesTowardZero(stored: Double, expected: Int) {
        #expect(read(.double(stored)) == expected)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 0x1p63, -0x1.1p63, 1e300])
    func doubleOutOfRangeDoesNotConvertToInt(stored: Double) {
        #expect(read(.double(stored), as: Int.self) == nil)
        #expect(read(.float(Float(stored)), as: Int.self) == nil)
        #expect(read(.double(stored), .foundation) == 0)
    }

    @Test func truncatingFractionIsLossyConversion() {
        #expect(readsWithLoss(2.7, as: Int.self))
        #expect(readsWithLoss(.float(2.5), as: UInt8.self))
        #expect(!readsWithLoss(2.0, as: Int.self))
    }

    @Test func outOfRangeNumberDoesNotConvertToIntegerType() {
        #expect(read(300, as: Int8.self) == nil)
        #expect(read(-1, as: UInt.self) == nil)
        #expect(read(.unsigned(.max), as: Int.self) == nil)
        #expect(read(256.0, as: UInt8.self) == nil)
        #expect(read(-0.5, as: UInt8.self) == 0)
    }

    // MARK: b, numbers as text

    @Test(
        arguments: [
            (3.14159265359, "3.14159265359"), (3.0, "3"), (1e20, "1e+20"), (900.012, "900.012"), (-0.0, "-0"),
            (.nan, "nan"), (.infinity, "inf"), (-.infinity, "-inf"), (.leastNonzeroMagnitude, "5e-324"),
            (1e-5, "1e-05"),
            (0.1, "0.1"), (0x1p53, "9007199254740992"),
        ] as [(Double, String)]
    )
    func doubleConvertsToShortestString(stored: Double, expected: String) {
        #expect(read(.double(stored)) == expected)
    }

    @Test(
        arguments: [(0.1, "0.1"), (16_777_216, "16777216"), (1e20, "1e+20"), (.nan, "nan"), (-0.0, "-0")]
            as [(Float, String)]
    )
    func floatConvertsToShortestString(stored: Float, expected: String) { #expect(read(.float(stored)) == expected) }

    @Test func everyNaNConvertsToSameString() {
        #expect(read(.double(Double(nan: 5, signaling: true))) == "nan")
        #expect(read(.double(-.nan)) == "nan")
    }

    @Test func doubleRoundTripsThroughString() {
        var generator = SplitMix64(seed: 1)
        for _ in 0..<20_000 {
            let number = Double(bitPattern: generator.next())
            guard !number.isNaN else { continue }
            let text = read(.double(number), as: String.self)
            #expect(text.flatMap { read(.string($0), as: Double.self) }?.bitPattern == number.bitPattern)
        }
    }

    @Test func floatRoundTripsThroughString() {
        var generator = SplitMix64(seed: 2)
        for _ in 0..<20_000 {
            let number = Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))
            guard !number.isNaN else { continue }
            let text = read(.float(number), as: String.self)
            #expect(text.flatMap { read(.string($0), as: Float.self) }?.bitPattern == number.bitPattern)
        }
    }

    // MARK: c, a double as a float

    @Test func doubleConvertsToNearestFloat() {
        #expect(read(0.1, as: Float.self) == 0.1)
        #expect(readsWithLoss(0.1, as: Float.self))
        #expect(!readsWithLoss(0.5, as: Float.self))
    }

    @Test func finiteDoubleOutOfFloatRangeDoesNotConvertToFloat() {
        #expect(read(1e300, as: Float.self) == nil)
        #expect(read(-1e300, as: Float.self, .foundation) == 0)
    }

    @Test func nanAndInfinitiesConvertFromDoubleToFloatUnchanged() {
        #expect(read(.double(.infinity), as: Float.self) == .infinity)
        #expect(read(.double(.nan), as: Float.self)?.isNaN == true)
        #expect(!readsWithLoss(.double(.nan), as: Float.self))
    }

    @Test func integerConvertsToNearestFloatingPointNumber() {
        #expect(read(.int(1 << 53 + 1), as: Double.self) == 0x1p53)
        #expect(readsWithLoss(.int(1 << 53 + 1), as: Double.self))
        #expect(!readsWithLoss(.int(1 << 53), as: Double.self))
    }

    // MARK: d, text as an integer

    @Test(arguments: [
        ("3", 3), ("-3", -3), ("+7", 7), (" 12\n", 12), ("\t007\r\n", 7), ("3.7", 3), ("-3.7", -3), ("1e3", 1000),
        ("1E3", 1000), ("12.5e1", 125), ("125e-1", 12), (".5", 0), ("5.", 5), ("-0", 0),
        ("1e-999999999999999999999", 0),
        ("9223372036854775807", .max), ("-9223372036854775808", .min), ("9223372036854775807.9", .max),
        ("0e999999999999999999999", 0), ("922337203685477580700000e-5", .max),
    ])
    func numericStringConvertsToInteger(text: String, expected: Int) {
        #expect(read(.string(text)) == expected)
    }

    static let malformed = [
        "", " ", "abc", "12abc", "0x1A", "1,5", "--1", "+-1", "+", "-", ".", "-.", "1e", "1e+", "e1", "1 2", "1.2.3",
        "👩", "1👩", "👩1", "١٢", "٣", "１", "\u{0}", "1\u{0}", "\u{FEFF}1", "½", "1_000", "∞", "1\u{A0}", "0b1", "1f",
    ]

    @Test(arguments: malformed) func nonnumericStringDoesNotConvertToNumber(text: String) {
        #expect(read(.string(text), as: Int.self) == nil)
        #expect(read(.string(text), as: UInt8.self) == nil)
        #expect(read(.string(text), as: Double.self) == nil)
        #expect(read(.string(text), as: Float.self) == nil)
    }

    @Test(arguments: ["9223372036854775808", "-9223372036854775809", "1e999", "1e19", "nan", "inf"])
    func numericStringOutOfRangeDoesNotConvertToInt(text: String) { #expect(read(.string(text), as: Int.self) == nil) }

    @Test func stringWithTenThousandDigitsConvertsToNumber() {
        let zeros = String(repeating: "0", count: 10_000)
        #expect(read(.string(zeros + "42"), as: Int.self) == 42)
        #expect(read(.string("42." + zeros + "1"), as: Int.self) == 42)
        #expect(read(.string("1" + zeros), as: Int.self) == nil)
        #expect(read(.string("1" + zeros), as: Double.self) == nil)
        #expect(read(.string("1" + zeros + "e-10000"), as: Int.self) == 1)
        #expect(read(.string("1" + zeros + "e-10000"), as: Double.self) == 1)
    }

    @Test(arguments: [
        ("12abc", 12), ("1e3", 1), ("42.7", 42), (" -12x", -12), ("", 0), ("abc", 0), ("👩", 0), ("1👩", 1), ("٣", 0),
        ("+", 0), (".5", 0), ("99999999999999999999", .max), ("-99999999999999999999", .min), ("0x1A", 0),
    ])
    func foundationPolicyReadsLeadingDigitsOfStringAsInteger(text: String, expected: Int) {
        #expect(read(.string(text), .foundation) == expected)
    }

    @Test func foundationPolicyReportsPartiallyParsedNumberAsLossy() {
        #expect(readsWithLoss("12abc", as: Int.self, .foundation))
        #expect(readsWithLoss("1e3", as: Int.self, .foundation))
        #expect(readsWithLoss("x", as: Double.self, .foundation))
        #expect(readsWithLoss(.date(.distantPast), as: Int.self, .foundation))
        #expect(!readsWithLoss("12", as: Int.self, .foundation))
        #expect(!readsWithLoss("NO", as: Bool.self, .foundation))
    }

    // MARK: e, text as a number with a fraction

    @Test(arguments: [
        ("3.14159265359", 3.14159265359), (".5", 0.5), ("5.", 5), ("+1e3", 1000), (" -2.5E-1 ", -0.25),
        ("inf", .infinity),
        ("-inf", -.infinity), ("+inf", .infinity), ("1e-999", 0), ("-0", -0.0), ("007", 7),
    ])
    func numericStringConvertsToDouble(text: String, expected: Double) {
        #expect(read(.string(text), as: Double.self)?.bitPattern == expected.bitPattern)
    }

    @Test func stringNanConvertsToNaN() {
        #expect(read("nan", as: Double.self)?.isNaN == true)
        #expect(read("nan", as: Float.self)?.isNaN == true)
    }

    @Test(arguments: ["1e999", "-1e999", "infinity", "NaN", "INF", "-nan", "0x1p3", "nan(5)", "snan"])
    func unsupportedOrOutOfRangeStringDoesNotConvertToDouble(text: String) {
        #expect(read(.string(text), as: Double.self) == nil)
    }

    @Test func stringConvertsToNearestFloatWithoutDoubleRounding() {
        // Rounding to a double first would yield another float.
        #expect(read("1.00000017881393432617187499", as: Float.self) == 1.0000001)
        #expect(read("1e39", as: Float.self) == nil)
    }

    @Test(
        arguments: [
            ("12abc", 12), ("1e3x", 1000), ("42.7.1", 42.7), ("1e", 1), ("👩", 0), ("", 0), ("1e999", .infinity),
        ] as [(String, Double)]
    )
    func foundationPolicyReadsLeadingNumberOfStringAsDouble(text: String, expected: Double) {
        #expect(read(.string(text), .foundation) == expected)
    }

    // MARK: f, text as a Boolean

    @Test(arguments: [
        "YES", "yes", "Y", "y", "TRUE", "true", "T", "t", "1", "42", "-1", " true ", "99999999999999999999",
    ])
    func stringsForTrueConvertToTrue(text: String) { #expect(read(.string(text)) == true) }

    @Test(arguments: ["NO", "no", "N", "n", "FALSE", "false", "F", "f", "0", "-0", "000"])
    func stringsForFalseConvertToFalse(text: String) { #expect(read(.string(text)) == false) }

    @Test(arguments: malformed + ["yup", "on", "off", "1.0", "0.0", "1e3", "Yes", "tRUE"])
    func nonBooleanStringDoesNotConvertToBool(text: String) { #expect(read(.string(text), as: Bool.self) == nil) }

    @Test(arguments: [
        ("yup", true), ("42.7", true), ("Tango", true), ("nope", false), ("", false), ("👩", false), ("0x1", false),
    ])
    func foundationPolicyReadsBooleanFromFirstCharacterOfString(text: String, expected: Bool) {
        #expect(read(.string(text), .foundation) == expected)
    }

    @Test func nonzeroNumberConvertsToTrue() {
        #expect(read(.double(.nan)) == true)
        #expect(read(-0.0) == false)
        #expect(read(.float(0)) == false)
    }

    // MARK: g, text as a URL

    @Test(arguments: [
        ("https://a.b/c", "https://a.b/c"), ("mailto:x@y.z", "mailto:x@y.z"), ("/etc", "file:///etc"),
        ("/a b/é", "file:///a%20b/%C3%A9"), ("file:///x%20y", "file:///x%20y"), ("x-a+b.1:c", "x-a+b.1:c"),
    ])
    func stringConvertsToURL(text: String, expected: String) {
        #expect(read(.string(text), as: URL.self)?.absoluteString == expected)
        #expect(!readsWithLoss(.string(text), as: URL.self))
    }

    @Test func urlConversionExpandsTilde() {
        #expect(read("~/x", as: URL.self)?.path == URL.homeDirectory.appending(path: "x").path)
    }

    @Test(arguments: ["a/b", "👩", "1a:b", "./x"]) func convertingRelativePathToFileURLIsLossy(text: String) {
        #expect(read(.string(text), as: URL.self)?.isFileURL == true)
        #expect(readsWithLoss(.string(text), as: URL.self))
    }

    @Test(arguments: ["", "http://[::1"]) func nonURLStringDoesNotConvertToURL(text: String) {
        #expect(read(.string(text), as: URL.self) == nil)
    }

    // MARK: h, a URL as text

    @Test(arguments: [
        ("file:///a%20b", "/a b"), ("file:///a/b/", "/a/b/"), ("https://a.b/c?d#e", "https://a.b/c?d#e"),
        ("file:", "file:"),
        ("", ""), ("http://[::1", "http://[::1"),
    ])
    func urlConvertsToString(url: String, expected: String) { #expect(read(.url(url)) == expected) }

    // MARK: i, an archived URL

    @Test func archivedURLIsReadAsURL() throws {
        let archive = try archived(NSURL(string: "https://user@a.b/c?x=1#f"))
        #expect(read(.data(archive), as: URL.self) == URL(string: "https://user@a.b/c?x=1#f"))
    }

    @Test func archivedURLWithBaseIsResolved() throws {
        let archive = try archived(
            NSURL(string: "d", relativeTo: URL(string: "e/", relativeTo: URL(string: "https://a.b/")))
        )
        #expect(read(.data(archive), as: URL.self)?.absoluteString == "https://a.b/e/d")
    }

    @Test func longArchivedURLIsRead() throws {
        let long = "https://a.b/" + String(repeating: "x", count: 70_000)
        #expect(try read(.data(archived(NSURL(string: long))), as: URL.self)?.absoluteString == long)
    }

    @Test func archiveWithoutURLDoesNotConvertToURL() throws {
        #expect(try read(.data(archived(NSString("https://a.b"))), as: URL.self) == nil)
        #expect(try read(.data(archived(NSDate())), as: URL.self) == nil)
        #expect(read(.data(Data("bplist00".utf8)), as: URL.self) == nil)
        let list = try PropertyListEncoder().encode(["a": 1])
        #expect(read(.data(list), as: URL.self) == nil)
    }

    @Test func readingCorruptURLArchiveNeverTraps() throws {
        let archive = try [UInt8](archived(NSURL(string: "d", relativeTo: URL(string: "https://a.b/"))))
        var generator = SplitMix64(seed: 3)
        var (values, refusals) = (0, 0)
        for _ in 0..<20_000 {
            var bytes = archive
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let edge: [UInt8] = [0, 0x7F, 0x80, 0xFF, .random(in: 0...255, using: &generator)]
                bytes[Int.random(in: bytes.indices, using: &generator)] = edge.randomElement(using: &generator) ?? 0
            }
            if Bool.random(using: &generator) {
                bytes.removeFirst(Int.random(in: 0...bytes.count / 2, using: &generator))
            }
            if read(.data(Data(bytes)), as: URL.self) == nil { refusals += 1 } else { values += 1 }
        }
        // If reads rejected all damage or none, the damage would be in the wrong places.
        #expect(values > 200, "\(values) of \(values + refusals)")
        #expect(refusals > 10_000, "\(refusals) of \(values + refusals)")
    }

    private func archived(_ object: NSObject?) throws -> Data {
        try NSKeyedArchiver.archivedData(withRootObject: #require(object), requiringSecureCoding: false)
    }

    // MARK: j and k, inside arrays and dictionaries

    @Test func exactlyRepresentableNumbersConvertInCollections() {
        #expect(read([1, 2.0, .float(3)]) == [1, 2, 3])
        #expect(read([1, 2.5, .float(0.5)]) == [1, 2.5, 0.5])
        #expect(read(["a": 1, "b": 2.0]) == ["a": 1.0, "b": 2])
        #expect(read([[1.0], []]) == [[1], []])
    }

    @Test func inexactNumbersAndOtherTypesDoNotConvertInCollections() {
        #expect(read([1, 2.5], as: [Int].self) == nil)
        #expect(read([0.1], as: [Float].self) == nil)
        #expect(read([.int(1 << 53 + 1)], as: [Double].self) == nil)
        #expect(read(["1"], as: [Int].self) == nil)
        #expect(read([1], as: [String].self) == nil)
        #expect(read([true], as: [Int].self) == nil)
        #expect(read([1], as: [Bool].self) == nil)
        #expect(read([.url("a:b")], as: [String].self) == nil)
        #expect(read(["a:b"], as: [URL].self) == nil)
        #expect(read([.null], as: [Int].self) == nil)
        #expect(read([[1], ["x": 1]], as: [[Int]].self) == nil)
        #expect(read(["a": ["1"]], as: [String: [Int]].self) == nil)
    }

    @Test func foundationPolicyConvertsOnlyExactNumbersInCollections() {
        #expect(read(["12abc"], as: [Int].self, .foundation) == nil)
        #expect(read([1.0], .foundation) == [1])
    }

    @Test func strictPolicyConvertsNoNumbersInCollections() {
        #expect(read([1.0], as: [Int].self, .strict) == nil)
        #expect(read([[1.0]], as: [[Float]].self, .strict) == nil)
    }

    @Test func emptyArrayAndDictionaryConvertToAnyElementType() {
        #expect(read([], as: [URL].self) == [])
        #expect(read([:], as: [String: [Date]].self) == [:])
    }

    @Test func dictionaryWithCanonicallyEquivalentKeysDoesNotConvert() {
        #expect(read(["\u{E9}": 1, "e\u{301}": 2], as: [String: Int].self) == nil)
        #expect(read(["e\u{301}": 2], as: [String: Int].self) == ["\u{E9}": 2])
    }
}
