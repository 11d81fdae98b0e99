#if Objects
/// A date that was typed in a filter, such as `2026-01-31` or `2026-01-31T09:30:00Z`.
///
/// The time zone is UTC unless an offset such as `+02:00` follows. The conversion accepts no date that does not exist.
enum FilterDate {
    /// The days from March 1 of the year 0 to January 1, 2001.
    private static let reference = 730_791

    /// Returns the seconds since January 1, 2001, or `nil` if the text is not a date.
    static func seconds(_ text: String) -> Double? {
        var rest = Substring(text)
        guard let year = digits(4, &rest), take("-", &rest), let month = digits(2, &rest), take("-", &rest),
            let day = digits(2, &rest), (1...12).contains(month), day >= 1, day <= days(in: month, of: year)
        else { return nil }
        let midnight = Double(days(to: year, month, day)) * 86_400
        if rest.isEmpty { return midnight }
        guard take("T", &rest), let time = time(&rest) else { return nil }
        return midnight + time
    }

    /// Reads the time after the letter "T", and returns the seconds since midnight UTC.
    private static func time(_ rest: inout Substring) -> Double? {
        guard let hour = digits(2, &rest), take(":", &rest), let minute = digits(2, &rest), hour < 24, minute < 60
        else {
            return nil
        }
        var seconds = Double(hour * 3_600 + minute * 60)
        if take(":", &rest) {
            guard let second = digits(2, &rest), second < 60 else { return nil }
            seconds += Double(second)
            if take(".", &rest) {
                let fraction = rest.prefix { ("0"..."9").contains($0) }
                guard !fraction.isEmpty, let value = Double("0." + fraction) else { return nil }
                seconds += value
                rest = rest.dropFirst(fraction.count)
            }
        }
        guard let offset = offset(&rest), rest.isEmpty else { return nil }
        return seconds - Double(offset)
    }

    /// Reads a time zone, and returns its offset from UTC in seconds.
    private static func offset(_ rest: inout Substring) -> Int? {
        if rest.isEmpty || take("Z", &rest) { return 0 }
        let isEast = take("+", &rest)
        guard isEast || take("-", &rest), let hours = digits(2, &rest) else { return nil }
        _ = take(":", &rest)
        guard let minutes = digits(2, &rest), hours < 24, minutes < 60 else { return nil }
        return (hours * 3_600 + minutes * 60) * (isEast ? 1 : -1)
    }

    private static func take(_ character: Character, _ rest: inout Substring) -> Bool {
        guard rest.first == character else { return false }
        rest.removeFirst()
        return true
    }

    private static func digits(_ count: Int, _ rest: inout Substring) -> Int? {
        let found = rest.prefix(count)
        guard found.count == count, found.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
        rest = rest.dropFirst(count)
        return Int(found)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// Returns the days from January 1, 2001 to a Gregorian date.
    ///
    /// The calculation uses eras of 400 years that begin in March, so that the leap day is the last day of an era.
    private static func days(to year: Int, _ month: Int, _ day: Int) -> Int {
        // A year before 1 begins in the era before.
        let shifted = (month <= 2 ? year - 1 : year) + 400
        let (era, yearOfEra) = shifted.quotientAndRemainder(dividingBy: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return (era - 1) * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - reference
    }
}
#endif
