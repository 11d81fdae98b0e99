#if Objects
internal import Foundation

extension UnsafeRawBufferPointer {
    /// Whether all bytes are ASCII characters.
    var isASCII: Bool {
        var place = 0
        while place + 8 <= count {
            if loadUnaligned(fromByteOffset: place, as: UInt64.self) & 0x8080_8080_8080_8080 != 0 { return false }
            place += 8
        }
        while place < count {
            if self[place] >= 0x80 { return false }
            place += 1
        }
        return true
    }

    /// Returns whether these bytes contain the string `part` at character boundaries, or `nil` if either string is not ASCII.
    ///
    /// The only ASCII sequence that Swift treats as one character is a carriage return followed by a line feed.
    func containsASCII(_ part: UnsafeRawBufferPointer) -> Bool? {
        guard part.isASCII, isASCII else { return nil }
        guard let first = part.first, let last = part.last, let bytes = baseAddress, let wanted = part.baseAddress
        else {
            return true
        }
        let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        var place = 0
        while place + part.count <= count {
            guard let found = memchr(bytes + place, Int32(first), count - part.count - place + 1) else { return false }
            place = UnsafeRawPointer(found) - bytes
            let end = place + part.count
            if memcmp(bytes + place, wanted, part.count) == 0 {
                let cutsBefore = first == lineFeed && place > 0 && self[place - 1] == carriageReturn
                let cutsAfter = last == carriageReturn && end < count && self[end] == lineFeed
                if !cutsBefore, !cutsAfter { return true }
            }
            place += 1
        }
        return false
    }
}
#endif
