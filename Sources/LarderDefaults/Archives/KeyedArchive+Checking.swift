import LarderCore

extension KeyedArchive {
    /// The maximum nesting depth of objects.
    ///
    /// The limit prevents a stack overflow, because each level takes a few stack frames in `init(coder:)`.
    static let maximumObjectDepth = 64

    /// Checks that the archive is safe to decode.
    ///
    /// All references must be valid, no object may contain itself, and the size and the classes must be allowed.
    ///
    /// - Parameter classes: The allowed classes.
    /// - Throws: `CoreError.DataSerialization` if the archive violates one of these rules.
    func check(_ classes: ArchiveClasses) throws {
        for object in objects {
            switch object {
            case .instance(let name, let parts):
                if let type = FoundationObject(rawValue: name) {
                    guard let content = type.content(of: parts) else {
                        throw Self.damaged("an object is not a valid \(name)")
                    }
                    try check(content)
                } else if classes.own[name] == nil {
                    throw Self.notListed(name)
                }
            case .description(let name):
                guard FoundationObject(rawValue: name) != nil || classes.own[name] != nil else {
                    throw Self.notListed(name)
                }
            case .null, .leaf: break
            }
        }
        var sizes: [Size?] = Array(repeating: nil, count: objects.count)
        _ = try size(of: root, depth: 0, known: &sizes)
    }

    private static func notListed(_ name: String) -> CoreError.DataSerialization {
        CoreError.DataSerialization(
            "The keyed archive contains an object of class \(name), which is not allowed. Pass the class to DefaultsKeyedArchiverBridge(classes:)."
        )
    }

    /// Checks that Foundation can decode an archived Foundation object without crashing.
    private func check(_ content: FoundationObject.Content) throws {
        switch content {
        case .elements(let numbers): try checkPresence(numbers)
        case .entries(let keys, let values):
            try checkPresence(values)
            for key in keys {
                switch try object(key) {
                case .leaf: break
                case .instance(let name, _) where FoundationObject(rawValue: name)?.isKey == true: break
                default: throw Self.damaged("a dictionary has an invalid key")
                }
            }
        case .url(let relative, let base):
            guard case .leaf(.text) = try object(relative) else { throw Self.damaged("a URL has no string") }
            guard let base else { break }
            switch try object(base) {
            case .null: break
            case .instance(FoundationObject.url.rawValue, _): break
            default: throw Self.damaged("the base of a URL is not a URL")
            }
        case .text, .data, .date, .uuid, .null: break
        }
    }

    private func checkPresence(_ numbers: [Int]) throws {
        for number in numbers {
            if case .null = try object(number) {
                throw Self.damaged("a container has a null element")
            }
        }
    }

    private func object(_ number: Int) throws -> Object {
        guard objects.indices.contains(number) else { throw Self.damaged("object \(number) is missing") }
        return objects[number]
    }

    /// The size of an object graph: the number of objects and the nesting depth.
    private struct Size {
        /// The number of objects, where an object is counted once for each reference to it.
        var count = 1
        var depth = 0
        var isOpen = true
    }

    private func size(of number: Int, depth: Int, known sizes: inout [Size?]) throws -> Size {
        let object = try object(number)
        if let size = sizes[number] {
            if size.isOpen { throw Self.damaged("object \(number) contains itself") }
            try Self.check(size, at: depth)
            return size
        }
        sizes[number] = Size()
        var size = Size(isOpen: false)
        try Self.check(size, at: depth)
        if case .instance(_, let parts) = object {
            for part in parts.values {
                for reference in part.references {
                    let inner = try self.size(of: reference, depth: depth + 1, known: &sizes)
                    size.count += inner.count
                    size.depth = max(size.depth, inner.depth + 1)
                    try Self.check(size, at: depth)
                }
            }
        }
        sizes[number] = size
        return size
    }

    private static func check(_ size: Size, at depth: Int) throws {
        guard depth + size.depth <= maximumObjectDepth else {
            throw damaged("its objects are nested more than \(maximumObjectDepth) levels deep")
        }
        guard size.count <= maximumCount else {
            throw damaged("it has more than \(maximumCount) references to its objects")
        }
    }
}

extension KeyedArchive.Part {
    /// The indexes of the archived objects that this part of the archive references, directly or in nested collections.
    fileprivate var references: [Int] {
        switch self {
        case .reference(let number): [number]
        case .list(let parts): parts.flatMap(\.references)
        case .entries(let entries): entries.values.flatMap(\.references)
        default: []
        }
    }
}
