import Foundation
import Testing

@testable import LarderStores

@Suite struct SharedPreferencesNumberTests {
    @Test(
        arguments: [
            (3.14159265359, "3.14159265359"), (0, "0.0"), (-0.0, "-0.0"), (1, "1.0"), (-1.5, "-1.5"), (100, "100.0"),
            (0.001, "0.001"), (0.00123, "0.00123"), (0.000999, "9.99E-4"), (0.75, "0.75"), (9_999_999, "9999999.0"),
            (9_999_999.5, "9999999.5"), (1e7, "1.0E7"), (1e10, "1.0E10"), (12_345_678.9, "1.23456789E7"),
            (1.5e-5, "1.5E-5"), (1e300, "1.0E300"), (.nan, "NaN"), (.infinity, "Infinity"), (-.infinity, "-Infinity"),
            (.greatestFiniteMagnitude, "1.7976931348623157E308"), (.leastNonzeroMagnitude, "4.9E-324"),
            (.leastNonzeroMagnitude * 2, "9.9E-324"), (.leastNormalMagnitude, "2.2250738585072014E-308"),
        ] as [(Double, String)]
    )
    func doubleIsFormattedAsInJava(number: Double, text: String) {
        #expect(SharedPreferencesNumber.text(of: number) == text)
    }

    @Test(
        arguments: [
            (0.1, "0.1"), (1e10, "1.0E10"), (.leastNonzeroMagnitude, "1.4E-45"), (16_777_216, "1.6777216E7"),
            (.greatestFiniteMagnitude, "3.4028235E38"), (-.nan, "NaN"), (-.infinity, "-Infinity"),
            (.leastNonzeroMagnitude * 2, "2.8E-45"),
        ] as [(Float, String)]
    )
    func floatIsFormattedAsInJava(number: Float, text: String) {
        #expect(SharedPreferencesNumber.text(of: number) == text)
    }

    @Test func everyDoubleRoundTrips() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<5_000 {
            let number = Double(bitPattern: generator.next())
            let small = Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))
            let text = SharedPreferencesNumber.text(of: number)
            #expect(number.isNaN || SharedPreferencesNumber.double(text)?.bitPattern == number.bitPattern, "\(text)")
            let short = SharedPreferencesNumber.text(of: small)
            #expect(small.isNaN || SharedPreferencesNumber.float(short)?.bitPattern == small.bitPattern, "\(short)")
        }
    }

    @Test(
        arguments: [
            ("1", 1), ("+1.5", 1.5), (" \t1.5\n", 1.5), (".5", 0.5), ("5.", 5), ("1e3", 1000), ("1E+3", 1000),
            ("1.5f", 1.5), ("1.5D", 1.5), ("+Infinity", .infinity), ("-0", -0.0), ("1e999", .infinity),
        ] as [(String, Double)]
    )
    func numbersInJavaSyntaxAreParsed(text: String, number: Double) {
        #expect(SharedPreferencesNumber.double(text)?.bitPattern == number.bitPattern)
    }

    @Test(arguments: [
        "", " ", "+", ".", "e5", "1e", "1e+", "1,5", "0x1p3", "nan", "inf", "1 2", "👩", "1👩", "--1", "1ff", "f",
    ])
    func invalidNumbersAreRejected(text: String) {
        #expect(SharedPreferencesNumber.double(text) == nil)
        #expect(SharedPreferencesNumber.float(text) == nil)
    }
}
