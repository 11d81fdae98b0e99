import Foundation

/// The Foundation classes that every archive may contain.
enum FoundationObject: String {
    case array = "NSArray"
    case mutableArray = "NSMutableArray"
    case set = "NSSet"
    case mutableSet = "NSMutableSet"
    case dictionary = "NSDictionary"
    case mutableDictionary = "NSMutableDictionary"
    case string = "NSString"
    case mutableString = "NSMutableString"
    case data = "NSData"
    case mutableData = "NSMutableData"
    case date = "NSDate"
    case url = "NSURL"
    case uuid = "NSUUID"
    case null = "NSNull"

    /// The decoded fields of an archived Foundation object.
    enum Content {
        case elements([Int])
        case entries(keys: [Int], values: [Int])
        case text(String)
        case data(Data)
        case date(Double)
        case url(relative: Int, base: Int?)
        case uuid(UUID)
        case null
    }

    /// Returns the decoded fields of an archived object, or `nil` if the archived fields are invalid for this class.
    func content(of parts: [String: KeyedArchive.Part]) -> Content? {
        switch self {
        case .array, .mutableArray, .set, .mutableSet:
            return Self.references(parts["NS.objects"]).map(Content.elements)
        case .dictionary, .mutableDictionary:
            guard let keys = Self.references(parts["NS.keys"]), let values = Self.references(parts["NS.objects"]),
                keys.count == values.count
            else { return nil }
            return .entries(keys: keys, values: values)
        case .string, .mutableString:
            guard case .text(let text)? = parts["NS.string"] else { return nil }
            return .text(text)
        case .data, .mutableData:
            guard case .data(let bytes)? = parts["NS.data"] else { return nil }
            return .data(bytes)
        case .date:
            switch parts["NS.time"] {
            case .real(let seconds): return .date(seconds)
            case .int(let seconds): return .date(Double(seconds))
            default: return nil
            }
        case .url:
            guard case .reference(let relative)? = parts["NS.relative"] else { return nil }
            switch parts["NS.base"] {
            case nil: return .url(relative: relative, base: nil)
            case .reference(let base): return .url(relative: relative, base: base)
            default: return nil
            }
        case .uuid:
            guard case .data(let bytes)? = parts["NS.uuidbytes"], bytes.count == 16 else { return nil }
            return .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
        case .null: return .null
        }
    }

    /// Whether objects of this class may be dictionary keys.
    ///
    /// This is `true` for classes whose objects can be copied and compared without calling client code.
    var isKey: Bool {
        switch self {
        case .string, .mutableString, .data, .mutableData, .date, .url, .uuid: true
        default: false
        }
    }

    private static func references(_ part: KeyedArchive.Part?) -> [Int]? {
        guard case .list(let parts)? = part else { return nil }
        let numbers = parts.compactMap { if case .reference(let number) = $0 { number } else { nil } }
        return numbers.count == parts.count ? numbers : nil
    }
}
