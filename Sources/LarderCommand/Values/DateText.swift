import Foundation

/// A namespace for functions that convert dates to strings and back without loss of precision.
///
/// Dates are written as ISO 8601 in UTC, with as many fractional digits as needed. A date outside the years 1 to 9999 is written as the
/// number of seconds since 2001-01-01 00:00:00 UTC.
enum DateText {
    static func text(_ date: Date) -> String {
        let interval = date.timeIntervalSinceReferenceDate
        let plain = "\(interval)"
        guard interval.isFinite, !plain.contains("e"), interval >= firstYear, interval < lastYear else { return plain }
        // A date and time can't represent -0.0.
        guard interval != 0 || interval.sign == .plus else { return plain }
        // The shortest decimal string is exact, so its fraction is copied digit by digit.
        var fraction = String(plain.drop { $0 != "." }.dropFirst())
        if fraction == "0" { fraction = "" }
        var seconds = Int64(interval.rounded(.towardZero))
        if interval < 0, !fraction.isEmpty {
            seconds -= 1
            fraction = complement(fraction)
        }
        let days = Int((Double(seconds) / 86400).rounded(.down))
        let rest = Int(seconds) - days * 86400
        let (year, month, day) = civil(days)
        return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2) + "T" + padded(rest / 3600, 2) + ":"
            + padded(rest / 60 % 60, 2) + ":" + padded(rest % 60, 2) + (fraction.isEmpty ? "" : "." + fraction) + "Z"
    }

    static func date(_ text: String) -> Date? {
        if let interval = Double(text) { return Date(timeIntervalSinceReferenceDate: interval) }
        let form = /(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,30}))?)?(Z|[+-]\d\d:?\d\d)?/
        guard let match = text.wholeMatch(of: form),
            let year = Int(match.1), let month = Int(match.2), let day = Int(match.3),
            (1...12).contains(month), day >= 1
        else { return nil }
        let days = self.days(year, month, day)
        // Rejects dates such as April 31, which would be read as May 1.
        guard civil(days) == (year, month, day) else { return nil }
        let hour = match.4.flatMap { Int($0) } ?? 0
        let minute = match.5.flatMap { Int($0) } ?? 0
        let second = match.6.flatMap { Int($0) } ?? 0
        guard hour < 24, minute < 60, second < 60, let offset = offset(match.8) else { return nil }
        let whole = days * 86400 + hour * 3600 + minute * 60 + second - offset
        var fraction = match.7.map(String.init) ?? "0"
        guard whole < 0, fraction.contains(where: { $0 != "0" }) else {
            return Double("\(whole).\(fraction)").map(Date.init(timeIntervalSinceReferenceDate:))
        }
        fraction = complement(fraction)
        return Double("-\(-(whole + 1)).\(fraction)").map(Date.init(timeIntervalSinceReferenceDate:))
    }

    /// Returns a time zone's offset from UTC in seconds, or `nil` if the time zone is invalid.
    ///
    /// A missing time zone means UTC.
    private static func offset(_ text: Substring?) -> Int? {
        guard let text, text != "Z" else { return 0 }
        let digits = text.filter(\.isNumber)
        guard let hours = Int(digits.prefix(2)), let minutes = Int(digits.suffix(2)), hours < 24, minutes < 60 else {
            return nil
        }
        return (text.hasPrefix("-") ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    /// Returns the decimal digits of 1 minus 0.`digits`.
    private static func complement(_ digits: String) -> String {
        var borrowed = true
        var result: [Character] = []
        for digit in digits.utf8.reversed() {
            let value = Int(digit) - 48
            let difference = borrowed ? (10 - value) % 10 : 9 - value
            if value != 0 { borrowed = false }
            result.append(Character(String(difference)))
        }
        return String(result.reversed())
    }

    private static let firstYear = Double(days(1, 1, 1) * 86400)
    private static let lastYear = Double(days(10000, 1, 1) * 86400)

    /// Returns the number of days from 2001-01-01 to a date in the Gregorian calendar.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - epoch
    }

    private static func civil(_ days: Int) -> (Int, Int, Int) {
        let shifted = days + epoch
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// The number of days from 0000-03-01 to 2001-01-01.
    private static let epoch = 730_791

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
