#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Date {
    /// The date in ISO 8601 format in UTC, with the shortest fraction of a second that identifies the date exactly.
    ///
    /// Dates outside the years 0 to 9999 appear as `@` followed by the interval since the reference date in seconds.
    var exactText: String {
        let interval = timeIntervalSinceReferenceDate
        let whole = interval.rounded(.down)
        guard (-63_145_526_400..<252_423_993_600).contains(whole) else { return "@" + interval.shortestText }
        let seconds = Int64(whole)
        let (year, month, day) = Self.civil(daysSince2001: seconds.floorQuotient(86_400))
        let second = seconds - seconds.floorQuotient(86_400) * 86_400
        return Self.padded(year, 4) + "-" + Self.padded(month, 2) + "-" + Self.padded(day, 2) + "T"
            + Self.padded(second / 3_600, 2) + ":" + Self.padded(second / 60 % 60, 2) + ":"
            + Self.padded(second % 60, 2)
            + Self.fraction(of: interval) + "Z"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// Returns the Gregorian date of a day, given the number of days since 2001-01-01.
    ///
    /// The calculation uses eras of 400 years that begin in March, so that the leap day is the last day of an era.
    private static func civil(daysSince2001: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // 2001-01-01 is 730,791 days after 0000-03-01.
        let days = daysSince2001 + 730_791
        let era = days.floorQuotient(146_097)
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
    }

    /// Returns the fraction of the second with a leading decimal point, or an empty string if the interval is a whole number.
    ///
    /// The digits are taken from the shortest string that represents `interval`, because arithmetic would cause rounding errors.
    private static func fraction(of interval: Double) -> String {
        var digits = interval.magnitude.fractionDigits
        guard !digits.isEmpty else { return "" }
        if interval < 0 {
            // Seconds are rounded down, so the fraction of a negative interval is the complement of its digits.
            for index in digits.indices { digits[index] = 9 - digits[index] }
            // The last digit is not zero, so its complement is at most 8 and nothing carries.
            digits[digits.count - 1] += 1
        }
        return "." + digits.map { String($0) }.joined()
    }
}

extension Double {
    /// The digits after the decimal point in the shortest string that represents this number, which must be below 10¹⁵.
    fileprivate var fractionDigits: [UInt8] {
        let parts = shortestText.split(separator: "e")
        guard let mantissa = parts.first else { return [] }
        let sides = mantissa.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 1 { return sides.count == 2 ? sides[1].utf8.map { $0 & 0x0F } : [] }
        // "1.5e-07": one zero fewer than the exponent, then the digits.
        let zeros = -(Int(parts[1]) ?? 0) - 1
        return [UInt8](repeating: 0, count: max(0, zeros)) + sides.joined().utf8.map { $0 & 0x0F }
    }
}

extension Int64 {
    /// Returns the quotient, rounded toward negative infinity.
    fileprivate func floorQuotient(_ divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
