#if Objects
internal import LarderCore

/// A translator of filters into SQL conditions, based on a stored schema instead of the model's classes.
///
/// Values are bound to parameters. The only names in the SQL are quoted names of the schema, so a filter can't change the meaning of the SQL.
struct FilterTranslator {
    /// A table in a query, identified by an alias.
    struct Source {
        let alias: String
        let entity: SchemaDescription.Entity

        var key: String { "\(alias).\(ResolvedEntity.quotedKeyColumn)" }
        /// The table and the alias, for a `FROM` clause.
        ///
        /// The table is that of the file, even if the connection has a temporary view of the same name.
        var table: String { "main.\(entity.name.quotedIdentifier) AS \(alias)" }

        func column(_ name: String) -> String { "\(alias).\(name.quotedIdentifier)" }
    }

    let schema: SchemaDescription
    /// The values of the parameters `?1`, `?2` and so on.
    private(set) var values: [ColumnValue] = []
    /// The columns that occur in comparisons, as candidates for an index.
    private(set) var compared: [IndexCandidate] = []
    private var aliases = 0

    init(_ schema: SchemaDescription) { self.schema = schema }

    /// Returns a new table for an entity.
    mutating func source(_ entity: SchemaDescription.Entity) -> Source {
        defer { aliases += 1 }
        return Source(alias: "t\(aliases)", entity: entity)
    }

    /// Binds a value to a new parameter, and returns the parameter's name, such as `?1`.
    mutating func bind(_ value: ColumnValue) -> String {
        values.append(value)
        return "?\(values.count)"
    }

    mutating func note(_ column: String, of entity: String) {
        compared.append(IndexCandidate(entity: entity, column: column))
    }

    /// Translates a filter.
    ///
    /// - Parameters:
    ///   - expression: The filter.
    ///   - source: The table whose rows the filter selects.
    /// - Returns: The condition.
    /// - Throws: `InspectionQueryError` if a name or the type of a value is wrong.
    mutating func condition(_ expression: FilterExpression, of source: Source) throws -> SQLCondition {
        // This method is recursive and may run on a thread with a small stack, so all other work is in helper methods.
        switch expression {
        case .constant(let value): return .constant(value)
        case .not(let inner): return .not(try condition(inner, of: source))
        case .all(let list): return .all(try conditions(list, of: source))
        case .any(let list): return .any(try conditions(list, of: source))
        default: return try test(expression, of: source)
        }
    }

    private mutating func conditions(_ list: [FilterExpression], of source: Source) throws -> [SQLCondition] {
        var conditions: [SQLCondition] = []
        for expression in list { conditions.append(try condition(expression, of: source)) }
        return conditions
    }

    private mutating func test(_ expression: FilterExpression, of source: Source) throws -> SQLCondition {
        switch expression {
        case .comparison(let first, let comparison, let second, let place):
            return try self.comparison(first, comparison, second, place, of: source)
        case .membership(let path, let list): return try membership(path, list, of: source)
        case .truth(let path): return try truth(path, of: source)
        case .constant, .all, .any, .not: return .constant(false)
        }
    }

    private mutating func comparison(
        _ first: FilterOperand,
        _ comparison: FilterComparison,
        _ second: FilterOperand,
        _ place: Range<Int>,
        of source: Source
    ) throws -> SQLCondition {
        switch (first, second) {
        case (.path(let path), .literal(let literal)):
            return try self.comparison(path, comparison, literal, of: source)
        case (.literal(let literal), .path(let path)):
            return try self.comparison(path, comparison.exchanged, literal, of: source)
        case (.path(let left), .path(let right)): return try self.comparison(left, comparison, right, place, of: source)
        case (.literal, .literal):
            throw InspectionQueryError("A comparison needs a property. Type one instead of a value.", at: place)
        }
    }
}

// MARK: Paths

extension FilterTranslator {
    /// Translates a condition on the end of a path.
    ///
    /// If the path leads to many objects, any of them may satisfy the condition.
    ///
    /// - Parameters:
    ///   - target: The end of the path.
    ///   - source: The table in which the path begins.
    ///   - isNegated: Whether the condition is the negation of `test`, which also holds for an object that is missing on the way.
    ///   - test: A closure that returns a condition that does not hold for NULL.
    /// - Returns: The condition.
    /// - Throws: The error that `test` throws.
    mutating func condition(
        on target: FilterTarget,
        from source: Source,
        isNegated: Bool = false,
        _ test: (inout FilterTranslator, Source) throws -> SQLCondition
    ) throws -> SQLCondition {
        let index = target.indexAfterLastToMany
        return try follow(target.links[..<index], from: source) { translator, owner in
            let condition = try translator.follow(target.links[index...], from: owner, test)
            return isNegated ? .not(condition) : condition
        }
    }

    /// Translates the condition that an object at the end of the links exists and satisfies a condition.
    private mutating func follow(
        _ links: ArraySlice<FilterTarget.Link>,
        from source: Source,
        _ test: (inout FilterTranslator, Source) throws -> SQLCondition
    ) throws -> SQLCondition {
        guard let link = links.first else { return try test(&self, source) }
        let destination = self.source(link.destination)
        let inner = try follow(links.dropFirst(), from: destination, test).whenTrue.sql
        if let column = referenceColumn(of: link) {
            note(column, of: link.owner.name)
            let keys = "SELECT \(destination.key) FROM \(destination.table) WHERE \(inner)"
            return .sql("(\(source.column(column)) IN (\(keys)))", rows: [])
        }
        let members = try members(of: link, source, destination)
        return .certain("(EXISTS (SELECT 1 FROM \(members.from) WHERE \(members.condition) AND \(inner)))", rows: [])
    }

    /// Returns the name of the column in the owner's table that refers to the related object, if there is one.
    private func referenceColumn(of link: FilterTarget.Link) -> String? {
        link.owner.column(link.relationship.name)?.format == "reference" ? link.relationship.name : nil
    }

    /// Returns the SQL that selects the related objects of a row, if the references are in another table.
    func members(
        of link: FilterTarget.Link,
        _ source: Source,
        _ destination: Source
    ) throws -> (from: String, condition: String) {
        let relationship = link.relationship
        if let join = relationship.joinTable {
            let isSource = join == "\(link.owner.name).\(relationship.name)"
            let alias = "j\(destination.alias)"
            let (own, other) = isSource ? ("source", "target") : ("target", "source")
            return (
                "main.\(join.quotedIdentifier) AS \(alias) JOIN \(destination.table) ON \(destination.key) = \(alias).\"\(other)\"",
                "\(alias).\"\(own)\" = \(source.key)"
            )
        }
        guard destination.entity.column(relationship.inverse)?.format == "reference" else {
            throw InspectionQueryError(
                "The relationship \(link.owner.name).\(relationship.name) has no references. Filter by other properties."
            )
        }
        return (destination.table, "\(destination.column(relationship.inverse)) = \(source.key)")
    }

    /// Returns the SQL of the number of related objects of a row.
    mutating func count(of link: FilterTarget.Link, _ source: Source) throws -> String {
        let members = try members(of: link, source, self.source(link.destination))
        return "(SELECT count(*) FROM \(members.from) WHERE \(members.condition))"
    }

    /// Returns the SQL of a value at the end of a path to one object.
    fileprivate mutating func value(
        _ links: ArraySlice<FilterTarget.Link>,
        from source: Source,
        _ value: (Source) -> String
    ) throws -> String {
        guard let link = links.first else { return value(source) }
        let destination = self.source(link.destination)
        let inner = try self.value(links.dropFirst(), from: destination, value)
        if let column = referenceColumn(of: link) {
            return "(SELECT \(inner) FROM \(destination.table) WHERE \(destination.key) = \(source.column(column)))"
        }
        let members = try members(of: link, source, destination)
        return "(SELECT \(inner) FROM \(members.from) WHERE \(members.condition) LIMIT 1)"
    }
}

// MARK: Conditions

extension FilterTranslator {
    private static let textFormats: Set<String> = ["string", "url", "json"]

    /// Translates a Boolean property or a call.
    private mutating func truth(_ path: FilterPath, of source: Source) throws -> SQLCondition {
        if let call = path.call { return try search(call, path, of: source) }
        let target = try schema.target(of: path, from: source.entity)
        switch target.end {
        case .column(let column) where column.format == "bool":
            return try condition(on: target, from: source) { translator, owner in
                translator.note(column.name, of: owner.entity.name)
                return .equal(SQLValue(owner.column(column.name)), SQLValue("1", constant: .integer(1)))
            }
        case .isEmpty(let link):
            return try condition(on: target, from: source) { translator, owner in
                let members = try translator.members(of: link, owner, translator.source(link.destination))
                return .certain("(NOT EXISTS (SELECT 1 FROM \(members.from) WHERE \(members.condition)))", rows: [])
            }
        case .isEmptyValue(let column):
            return try condition(on: target, from: source) { _, owner in
                let empty = column.format == "data" ? "x''" : "''"
                return .sql("(\(owner.column(column.name)) = \(empty))", rows: [])
            }
        case .column(let column):
            let example = column.isRequired ? "== \(column.example)" : "!= nil"
            throw InspectionQueryError(
                "\(target.text) is not a Bool. Type a comparison, such as \(target.text) \(example).",
                at: target.place
            )
        case .count, .length:
            throw InspectionQueryError(
                "\(target.text) is a number. Type a comparison, such as \(target.text) > 0.",
                at: target.place
            )
        case .key:
            throw InspectionQueryError(
                "\(target.text) is an object. Type a comparison, such as \(target.text) != nil.",
                at: target.place
            )
        }
    }

    /// Translates a call that searches a string.
    private mutating func search(
        _ call: FilterPath.Call,
        _ path: FilterPath,
        of source: Source
    ) throws -> SQLCondition {
        let functions = ["contains", "hasPrefix", "hasSuffix", "localizedStandardContains"]
        guard functions.contains(call.function.name) else {
            let nearest = NearestName.of(call.function.name, in: functions) ?? "contains, hasPrefix or hasSuffix"
            throw InspectionQueryError(
                "A filter has no function \(call.function.name). Type \(nearest) instead.",
                at: call.function.place
            )
        }
        guard !path.steps.isEmpty else {
            throw InspectionQueryError(
                "\(call.function.name) searches a property. Type it before, such as name.\(call.function.name)(\"text\").",
                at: call.place
            )
        }
        guard call.arguments.count == 1, case .string(let part)? = call.arguments.first?.value else {
            throw InspectionQueryError(
                "\(call.function.name) takes one string. Type for example .\(call.function.name)(\"text\").",
                at: call.place
            )
        }
        let target = try schema.target(of: path, from: source.entity)
        guard case .column(let column) = target.end, Self.textFormats.contains(column.format) else {
            throw InspectionQueryError(
                "\(target.text) is not a string. Type a comparison instead of .\(call.function.name).",
                at: call.place
            )
        }
        let name = call.function.name
        return try condition(on: target, from: source) { translator, owner in
            translator.search(owner, column, name, part)
        }
    }

    private mutating func search(
        _ owner: Source,
        _ column: SchemaDescription.Column,
        _ function: String,
        _ part: String
    ) -> SQLCondition {
        let text = owner.column(column.name)
        switch function {
        case "hasPrefix": return .sql(SQLTranslator.startsWith(text, bind(part.columnValue)), rows: [])
        case "hasSuffix": return .sql("larder_ends(\(text), \(bind(part.columnValue)))", rows: [])
        case "localizedStandardContains":
            if part.searchFolded.isEmpty { return .constant(false) }
            let folded = column.name + ".folded"
            guard owner.entity.column(folded)?.format == "folded" else {
                return .sql("larder_contains_folded(\(text), \(bind(part.columnValue)))", rows: [])
            }
            return .sql(SQLTranslator.contains(owner.column(folded), bind(.text(part.searchFolded))), rows: [])
        default: return .sql(SQLTranslator.contains(text, bind(part.columnValue)), rows: [])
        }
    }

    private mutating func membership(
        _ path: FilterPath,
        _ list: [FilterLiteral],
        of source: Source
    ) throws -> SQLCondition {
        if let call = path.call { throw Self.isCondition(call) }
        let target = try schema.target(of: path, from: source.entity)
        var stored: [ColumnValue] = []
        for literal in list where !literal.isNull { stored.append(try value(of: literal, for: target)) }
        let hasNull = list.contains(where: \.isNull)
        // If the list contains nil, an object matches unless it has another value.
        return try condition(on: target, from: source, isNegated: hasNull) { translator, owner in
            let value = try translator.sql(of: target, owner)
            let members = stored.map { translator.bind($0) }.joined(separator: ", ")
            let isMember = SQLCondition.sql("(\(value) IN (\(members)))", rows: [])
            return hasNull ? .all([.present(SQLValue(value)), .not(isMember)]) : isMember
        }
    }

    /// Translates a comparison of a property with a value.
    private mutating func comparison(
        _ path: FilterPath,
        _ comparison: FilterComparison,
        _ literal: FilterLiteral,
        of source: Source
    ) throws -> SQLCondition {
        if path.call != nil || isBoolean(path, source), case .boolean(let flag) = literal.value {
            guard comparison == .equal || comparison == .unequal else { throw Self.unordered(literal.place) }
            let condition = try truth(path, of: source)
            return flag == (comparison == .equal) ? condition : .not(condition)
        }
        if let call = path.call { throw Self.isCondition(call) }
        let target = try schema.target(of: path, from: source.entity)
        if literal.isNull {
            guard comparison == .equal || comparison == .unequal else { throw Self.unordered(literal.place) }
            return try condition(on: target, from: source, isNegated: comparison == .equal) { translator, owner in
                .present(SQLValue(try translator.sql(of: target, owner)))
            }
        }
        let stored = try value(of: literal, for: target)
        if case .ordered = comparison, case .column(let column) = target.end, column.isUnordered {
            throw InspectionQueryError("\(target.text) has no order. Type == or != instead.", at: path.place)
        }
        return try condition(on: target, from: source, isNegated: comparison == .unequal) { translator, owner in
            let value = SQLValue(try translator.sql(of: target, owner))
            let constant = SQLValue(translator.bind(stored), constant: stored)
            switch comparison {
            case .equal, .unequal: return .equal(value, constant)
            case .ordered(let order): return .ordered(value, order.sql, constant)
            }
        }
    }

    /// Translates a comparison of two properties.
    private mutating func comparison(
        _ first: FilterPath,
        _ comparison: FilterComparison,
        _ second: FilterPath,
        _ place: Range<Int>,
        of source: Source
    ) throws -> SQLCondition {
        for call in [first.call, second.call] { if let call { throw Self.isCondition(call) } }
        let targets = [
            try schema.target(of: first, from: source.entity), try schema.target(of: second, from: source.entity),
        ]
        for target in targets where target.indexAfterLastToMany > 0 {
            throw InspectionQueryError(
                "\(target.text) has several values. Compare it with a value instead of a property.",
                at: target.place
            )
        }
        guard let kind = targets[0].kind, kind == targets[1].kind else {
            throw InspectionQueryError(
                "\(targets[0].text) and \(targets[1].text) have different types. Compare properties of the same type.",
                at: place
            )
        }
        let sides = try targets.map { target in
            SQLValue(try value(target.links[...], from: source) { owner in owner.column(target.columnName) })
        }
        switch comparison {
        case .equal: return .equal(sides[0], sides[1])
        case .unequal: return .not(.equal(sides[0], sides[1]))
        case .ordered(let order): return .ordered(sides[0], order.sql, sides[1])
        }
    }

    /// Whether a path ends with a test that is a Boolean, such as `isEmpty`.
    private func isBoolean(_ path: FilterPath, _ source: Source) -> Bool {
        guard path.call == nil, let target = try? schema.target(of: path, from: source.entity) else { return false }
        switch target.end {
        case .isEmpty, .isEmptyValue: return true
        case .key, .column, .length, .count: return false
        }
    }

    /// Returns the SQL of the value at the end of a path.
    private mutating func sql(of target: FilterTarget, _ owner: Source) throws -> String {
        switch target.end {
        case .key: return owner.key
        case .column(let column):
            note(column.name, of: owner.entity.name)
            return owner.column(column.name)
        case .length(let column): return "larder_count(\(owner.column(column.name)))"
        case .count(let link): return try count(of: link, owner)
        case .isEmpty, .isEmptyValue:
            throw InspectionQueryError(
                "\(target.text) is a Bool. Type it alone, or with ! before it.",
                at: target.place
            )
        }
    }

    /// Returns the stored form of a value for a comparison with the end of a path.
    private func value(of literal: FilterLiteral, for target: FilterTarget) throws -> ColumnValue {
        switch target.end {
        case .column(let column): return try literal.stored(as: column, target.text)
        case .key(let entity):
            if let key = literal.key(of: entity) { return .integer(key) }
            throw InspectionQueryError("\(target.text) is a key. Type a number, such as 12.", at: literal.place)
        case .length, .count:
            if case .number(let digits) = literal.value {
                if let number = Int64(digits) { return .integer(number) }
                if let number = Double(digits) { return .real(number) }
            }
            throw InspectionQueryError("\(target.text) is a number. Type for example 2.", at: literal.place)
        case .isEmpty, .isEmptyValue:
            throw InspectionQueryError(
                "\(target.text) is a Bool. Type it alone, or with ! before it.",
                at: target.place
            )
        }
    }

    private static func isCondition(_ call: FilterPath.Call) -> InspectionQueryError {
        InspectionQueryError(
            "\(call.function.name) is a condition. Type it alone, or with ! before it.",
            at: call.place
        )
    }

    private static func unordered(_ place: Range<Int>) -> InspectionQueryError {
        InspectionQueryError("This value has no order. Type == or != before it.", at: place)
    }
}

extension FilterComparison.Order {
    fileprivate var sql: SQLCondition.Order {
        switch self {
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        }
    }
}

extension FilterTarget {
    /// The formats of numbers that SQLite compares with each other.
    private static let numbers: Set<String> = ["double", "float"]

    /// A name that is equal for values that can be compared with each other, or `nil` if the value is not stored in a column.
    fileprivate var kind: String? {
        switch end {
        case .key(let entity): "reference to \(entity)"
        case .column(let column):
            switch column.format {
            case "reference": "reference to \(column.destination ?? "")"
            case "json": nil
            case "string", "url": "text"
            case let format where Self.numbers.contains(format) || IntegerFormats.ranges[format] != nil: "number"
            case let format: format
            }
        case .length, .isEmptyValue, .count, .isEmpty: nil
        }
    }

    /// The name of the column at the end, which must have a ``kind``.
    fileprivate var columnName: String {
        if case .column(let column) = end { column.name } else { ResolvedEntity.keyColumn }
    }
}

extension SchemaDescription.Column {
    /// Whether an order of the values means nothing.
    fileprivate var isUnordered: Bool { ["bool", "reference", "json", "data", "uuid"].contains(format) }

    /// A value as an example for messages.
    fileprivate var example: String {
        switch format {
        case "string", "url": "\"Ada\""
        case "date": "2026-01-31"
        case "bool": "true"
        default: "12"
        }
    }
}
#endif
