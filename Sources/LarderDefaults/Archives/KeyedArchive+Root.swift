import Foundation
import LarderCore

extension KeyedArchive {
    /// The object that was archived; the archive must have been checked.
    ///
    /// - Parameters:
    ///   - bytes: What this archive was read from.
    ///   - classes: The classes that the type allows.
    /// - Returns: An object of one of them, or one of Foundation's.
    /// - Throws: `CoreError.DataSerialization`, saying which object does not decode.
    func rootObject(of bytes: Data, _ classes: ArchiveClasses) throws -> Any? {
        #if canImport(ObjectiveC)
        // There it answers with an error where Foundation elsewhere ends the process.
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: bytes)
        unarchiver.requiresSecureCoding = classes.isSecure
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        for (name, type) in classes.own { unarchiver.setClass(type as? AnyClass, forClassName: name) }
        defer { unarchiver.finishDecoding() }
        let allowed = FoundationObject.classes + classes.own.values.compactMap { $0 as? AnyClass }
        let object =
            classes.isSecure
            ? unarchiver.decodeObject(of: allowed, forKey: NSKeyedArchiveRootObjectKey)
            : unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
        if let error = unarchiver.error {
            throw CoreError.DataSerialization("This keyed archive can't be decoded.", underlying: error)
        }
        return object
        #else
        return try ArchiveDecoder(self, classes).rootObject()
        #endif
    }
}

extension FoundationObject {
    /// The classes themselves.
    static let classes: [AnyClass] = [
        NSArray.self, NSSet.self, NSDictionary.self, NSString.self, NSData.self, NSDate.self, NSURL.self, NSUUID.self,
        NSNull.self, NSNumber.self,
    ]
}
