#if Configuration
import Configuration
import Foundation
import LarderCore

extension ConfigContent {
    /// Creates content of the requested type from a stored value, or returns `nil` if the conversion would lose information.
    init?(_ stored: StoredValue, as type: ConfigType) {
        func read<Value: StorableValue>(_: Value.Type) -> Value? {
            guard let conversion = Value.converted(from: stored, policy: .documented), !conversion.isLossy else {
                return nil
            }
            return conversion.value
        }
        let content: ConfigContent? =
            switch type {
            case .string: read(String.self).map(ConfigContent.string)
            case .int: read(Int.self).map(ConfigContent.int)
            case .double: read(Double.self).map(ConfigContent.double)
            case .bool: read(Bool.self).map(ConfigContent.bool)
            case .bytes: read(Data.self).map { .bytes([UInt8]($0)) }
            case .stringArray: read([String].self).map(ConfigContent.stringArray)
            case .intArray: read([Int].self).map(ConfigContent.intArray)
            case .doubleArray: read([Double].self).map(ConfigContent.doubleArray)
            case .boolArray: read([Bool].self).map(ConfigContent.boolArray)
            case .byteChunkArray: read([Data].self).map { .byteChunkArray($0.map { [UInt8]($0) }) }
            }
        guard let content else { return nil }
        self = content
    }
}
#endif
