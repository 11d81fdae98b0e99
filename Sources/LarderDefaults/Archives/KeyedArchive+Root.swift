import Foundation
import LarderCore

extension KeyedArchive {
    /// Decodes the root object of this archive, which ``check(_:)`` must have accepted.
    ///
    /// - Parameters:
    ///   - bytes: The bytes from which this archive was read.
    ///   - classes: The allowed classes.
    /// - Returns: An object whose class is in `classes` or belongs to Foundation.
    /// - Throws: `CoreError.DataSerialization` if an object can't be decoded.
    func rootObject(of bytes: Data, _ classes: ArchiveClasses) throws -> Any? {
        #if canImport(ObjectiveC)
        // On Apple platforms Foundation's unarchiver returns an error instead of ending the process.
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
            throw CoreError.DataSerialization("The keyed archive can't be decoded.", underlying: error)
        }
        return object
        #else
        return try ArchiveDecoder(self, classes).rootObject()
        #endif
    }
}

extension FoundationObject {
    /// The Foundation classes that every archive may contain.
    static let classes: [AnyClass] = [
        NSArray.self, NSSet.self, NSDictionary.self, NSString.self, NSData.self, NSDate.self, NSURL.self, NSUUID.self,
        NSNull.self, NSNumber.self,
    ]
}
