import LarderCore

extension KeyedArchive {
    /// How deep objects may lie inside one another; each takes a few calls of its class's `init(coder:)` on the stack.
    static let maximumObjectDepth = 64

    /// Makes sure that every reference leads somewhere, no object holds itself, everything ends, and all classes are on the list.
    ///
    /// - Parameter classes: The classes that the type allows.
    /// - Throws: `CoreError.DataSerialization`, saying what is wrong.
    func check(_ classes: ArchiveClasses) throws {
        for object in objects {
            switch object {
            case .instance(let name, let parts):
                if let type = FoundationObject(rawValue: name) {
                    guard let content = type.content(of: parts) else {
                        throw Self.damaged("an object is no \(name)")
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
            "This keyed archive holds a \(name), which its type does not list: name the class to the bridge, DefaultsKeyedArchiverBridge(classes:)."
        )
    }

    /// What Foundation would end the process for, beyond the form of a single object.
    private func check(_ content: FoundationObject.Content) throws {
        switch content {
        case .elements(let numbers): try checkPresence(numbers)
        case .entries(let keys, let values):
            try checkPresence(values)
            for key in keys {
                switch try object(key) {
                case .leaf: break
                case .instance(let name, _) where FoundationObject(rawValue: name)?.isKey == true: break
                default: throw Self.damaged("a dictionary has a key that can't be one")
                }
            }
        case .url(let relative, let base):
            guard case .leaf(.text) = try object(relative) else { throw Self.damaged("a URL has no text") }
            guard let base else { break }
            switch try object(base) {
            case .null: break
            case .instance(FoundationObject.url.rawValue, _): break
            default: throw Self.damaged("the base of a URL is none")
            }
        case .text, .data, .date, .uuid, .null: break
        }
    }

    private func checkPresence(_ numbers: [Int]) throws {
        for number in numbers {
            if case .null = try object(number) {
                throw Self.damaged("a container holds nothing where something must be")
            }
        }
    }

    private func object(_ number: Int) throws -> Object {
        guard objects.indices.contains(number) else { throw Self.damaged("object \(number) is missing") }
        return objects[number]
    }

    /// How large an object is with everything in it.
    private struct Size {
        /// Objects, each counted as often as it is named.
        var count = 1
        var depth = 0
        var isOpen = true
    }

    private func size(of number: Int, depth: Int, known sizes: inout [Size?]) throws -> Size {
        let object = try object(number)
        if let size = sizes[number] {
            if size.isOpen { throw Self.damaged("object \(number) holds itself") }
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
            throw damaged("its objects lie more than \(maximumObjectDepth) deep")
        }
        guard size.count <= maximumCount else {
            throw damaged("it names its objects more than \(maximumCount) times")
        }
    }
}

extension KeyedArchive.Part {
    /// The objects that are named here.
    fileprivate var references: [Int] {
        switch self {
        case .reference(let number): [number]
        case .list(let parts): parts.flatMap(\.references)
        case .entries(let entries): entries.values.flatMap(\.references)
        default: []
        }
    }
}
