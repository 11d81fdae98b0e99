import Foundation
import LarderCore

extension StoredValue {
    /// This value with the one quiet NaN in place of every other, as files hold it: so it is read alike before and after a relaunch.
    var withQuietNaN: StoredValue { hasOtherNaN ? replacingNaN : self }

    private var hasOtherNaN: Bool {
        switch self {
        case .float(let number): number.isNaN
        case .double(let number): number.isNaN
        case .date(let date): date.timeIntervalSinceReferenceDate.isNaN
        case .array(let elements): elements.contains(where: \.hasOtherNaN)
        case .dictionary(let entries): entries.contains { $0.value.hasOtherNaN }
        default: false
        }
    }

    private var replacingNaN: StoredValue {
        switch self {
        case .float(let number): .float(number.isNaN ? .nan : number)
        case .double(let number): .double(number.isNaN ? .nan : number)
        case .date(let date):
            date.timeIntervalSinceReferenceDate.isNaN ? .date(Date(timeIntervalSinceReferenceDate: .nan)) : self
        case .array(let elements): .array(elements.map(\.replacingNaN))
        case .dictionary(let entries):
            .dictionary(StoredDictionary(entries.lazy.map { ($0.key, $0.value.replacingNaN) }))
        default: self
        }
    }
}
