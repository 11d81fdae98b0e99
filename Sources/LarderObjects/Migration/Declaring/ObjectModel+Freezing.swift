#if Objects
public import Foundation
internal import LarderCore

extension ObjectModel {
    /// Returns a snapshot of this version of the model.
    ///
    /// Each default is evaluated twice to detect defaults that vary between calls.
    ///
    /// - Returns: The frozen model.
    /// - Throws: ``ObjectError`` with code `invalidModel` if the model is invalid. The error lists every problem.
    public func frozen() throws -> FrozenModel { try resolved().frozen() }

    /// Writes this version of the model to the file `vN.json` in a folder, where N is the version.
    ///
    /// A file with the same contents is left unchanged.
    ///
    /// - Parameter folder: The URL of the folder. A missing folder is created.
    /// - Returns: The URL of the file.
    /// - Throws: ``ObjectError`` with code `invalidModel` if the model is invalid, or if the folder contains a different model with the
    ///   same version. The existing file is not replaced. Also throws any error that occurs while writing the file.
    @discardableResult public func freeze(in folder: URL) throws -> URL {
        try frozen().write(in: folder)
    }
}

extension ResolvedModel {
    /// Returns a snapshot of this version of the model.
    func frozen() throws -> FrozenModel {
        try FrozenModel(
            version: version,
            schema: SchemaDescription(self, withTypes: true),
            declarations: declarations()
        )
    }

    private func declarations() -> MigrationDeclarations {
        var declarations = MigrationDeclarations(dropped: dropped)
        for entity in entities {
            var declared = EntityDeclarations(
                dropping: entity.description.dropping,
                keeping: entity.description.keeping
            )
            for attribute in entity.description.attributes {
                let said = attribute.declarations
                if !said.isEmpty { declared.attributes[attribute.name] = said }
            }
            for relationship in entity.description.relationships {
                if let kept = relationship.keeping {
                    declared.relationships[relationship.name] = RelationshipDeclarations(keeping: kept)
                }
            }
            if !declared.isEmpty { declarations.entities[entity.name] = declared }
        }
        return declarations
    }
}

extension AttributeDescription {
    fileprivate var declarations: AttributeDeclarations {
        var initial = Self.value(makeDefault)
        // For an optional attribute, a missing default is equivalent to a default of nil.
        if initial == .constant(.null) { initial = nil }
        return AttributeDeclarations(
            initial: initial,
            replacement: Self.value(makeReplacement),
            isInexact: options.contains(.inexact),
            keeping: keeping
        )
    }

    private static func value(_ make: (@Sendable () throws -> ColumnValue)?) -> DefaultValue? {
        guard let make else { return nil }
        do {
            let first = try make()
            return try make() == first ? .constant(first) : .perRow
        } catch {
            return .unstorable((error as? UnstorableValue)?.problem ?? ErrorCause.text(error))
        }
    }

    /// The Swift type's name without `Optional`, or `nil` if the column's format determines the type.
    var storedTypeName: String? {
        let type = (valueType as? any OptionalType.Type)?.wrappedType ?? valueType
        guard !Self.plainTypes.contains(ObjectIdentifier(type)) else { return nil }
        return String(describing: type)
    }

    /// The stored values of all enumeration cases as strings, or `nil` if the type is not `CaseIterable`.
    var storedCases: [String]? {
        let type = (valueType as? any OptionalType.Type)?.wrappedType ?? valueType
        guard let cases = (type as? any CaseIterable.Type).map(Self.cases) else { return nil }
        return cases.map { value in
            switch encode(value) {
            case .integer(let integer)?: String(integer)
            case .text(let text)?: text
            case .real(let real)?: "\(real)"
            case .null?, .blob?, nil: ""
            }
        }
    }

    private static func cases(_ type: any CaseIterable.Type) -> [Any] {
        func all<Value: CaseIterable>(_ type: Value.Type) -> [Any] { type.allCases.map { $0 } }
        return all(type)
    }

    private static let plainTypes: Set<ObjectIdentifier> = {
        let types: [Any.Type] = [
            Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self,
            UInt64.self, Double.self, Float.self, Bool.self, String.self, URL.self, Data.self, UUID.self, Date.self,
            Decimal.self,
        ]
        return Set(types.map { ObjectIdentifier($0) })
    }()
}
#endif
