import Foundation
import LarderCore
import Testing

/// Tests that the fast path, which reads a value without converting it, agrees with the conversions.
@Suite struct ConversionFastPathTests {
    static let values: [StoredValue] = [
        true, 0, 1, -1, 127, 128, 255, 256, .int(.max), .unsigned(.max), .float(1), .double(1), .double(2.5), "1",
        "true", "",
        .url("https://example.com"), .date(Date(timeIntervalSinceReferenceDate: 1)), .data(Data([1])), [1], ["a": 1],
        [], [1, 2, -3], [1, 2.0], [1, 2.5], [300], ["a", "b"], ["a", 1], [true, 1], [[1], [2, 3]], [[1], 2], [.null],
    ]

    @Test(arguments: values)
    func conversionFastPathAgreesWithFullConversion(value: StoredValue) {
        check(Bool.self, value)
        check(Int.self, value)
        check(Int8.self, value)
        check(UInt8.self, value)
        check(UInt64.self, value)
        check(Float.self, value)
        check(Double.self, value)
        check(String.self, value)
        check(Date.self, value)
        check([Int].self, value)
        check([UInt8].self, value)
        check([Bool].self, value)
        check([Double].self, value)
        check([String].self, value)
        check([[Int]].self, value)
    }

    private func check<Value: StorableValue & Equatable>(_ type: Value.Type, _ stored: StoredValue) {
        guard let value = Value.unconverted(stored) else { return }
        for policy in [ConversionPolicy.strict, .documented, .foundation] {
            let conversion = Value.converted(from: stored, policy: policy)
            #expect(conversion?.value == value)
            #expect(conversion?.isLossy == false)
        }
    }

    @Test func readingValueAsStoredTypeNeedsNoConversion() {
        #expect(Bool.unconverted(true) == true)
        #expect(Int.unconverted(7) == 7)
        #expect(Float.unconverted(.float(0.1)) == 0.1)
        #expect(Double.unconverted(0.1) == 0.1)
        #expect(String.unconverted("a") == "a")
        #expect([Int].unconverted([1, -2]) == [1, -2])
        #expect([[String]].unconverted([["a"], []]) == [["a"], []])
    }
}
