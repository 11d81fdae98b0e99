#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The format of dates in XML property lists, such as `2001-01-01T00:00:00Z`.
///
/// The Gregorian calendar applies to all dates, including those before its introduction in 1582.
enum PropertyListDate {
    private static let daysToReference = 730_791  // from 0000-03-01 to 2001-01-01

    static func text(of date: Date) -> String {
        guard let seconds = Int64(exactly: date.timeIntervalSinceReferenceDate.rounded(.down)) else { return "" }
        let (days, second) = divide(seconds, by: 86_400)
        // Years begin in March, so that the leap day is the last day.
        let (era, day) = divide(days + Int64(daysToReference), by: 146_097)
        let yearOfEra = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
        return [
            pad(year, 4), "-", pad(month < 10 ? month + 3 : month - 9, 2), "-",
            pad(dayOfYear - (153 * month + 2) / 5 + 1, 2),
            "T", pad(second / 3_600, 2), ":", pad(second / 60 % 60, 2), ":", pad(second % 60, 2), "Z",
        ].joined()
    }

    /// Parses a date, or returns `nil` if the string is not a date in the format of XML property lists.
    static func date(of text: String) -> Date? {
        var rest = text.utf8[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest.removeFirst() }
        guard let year = number(&rest, until: "-"), let month = number(&rest, until: "-"),
            let day = number(&rest, until: "T"), let hour = number(&rest, until: ":"),
            let minute = number(&rest, until: ":"), let second = number(&rest, until: "Z"), rest.isEmpty,
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
        else { return nil }
        let marchYear = (isNegative ? -year : year) - (month <= 2 ? 1 : 0)
        let (era, yearOfEra) = divide(marchYear, by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - Int64(daysToReference)
        return Date(timeIntervalSinceReferenceDate: Double(days * 86_400 + hour * 3_600 + minute * 60 + second))
    }

    /// Parses a number of up to nine digits followed by the character `end`, and removes the digits and `end` from `text`.
    private static func number(_ text: inout Substring.UTF8View, until end: Character) -> Int64? {
        var number: Int64 = 0
        var digits = 0
        while let byte = text.popFirst() {
            if byte == end.asciiValue { return digits > 0 ? number : nil }
            guard (0x30...0x39).contains(byte), digits < 9 else { return nil }
            number = number * 10 + Int64(byte - 0x30)
            digits += 1
        }
        return nil
    }

    /// Returns the quotient and the remainder of a division.
    ///
    /// The remainder is never negative.
    private static func divide(_ number: Int64, by divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func pad(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
