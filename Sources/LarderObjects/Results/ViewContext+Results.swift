#if Objects
public import Foundation

extension ViewContext {
    /// Fetches a list of saved objects, and keeps the list up to date with every save.
    ///
    /// The controller does not keep the manager open.
    ///
    /// - Parameters:
    ///   - request: The filter, the sort order and the limits.
    ///   - section: The property by whose values the list is divided, before `request.sortedBy`. Any property by which a request can be
    ///     sorted is allowed, also one of a related object.
    ///   - title: Returns the title of a section from its value. By default, the title is the description of the value.
    /// - Returns: The controller of the list.
    /// - Throws: ``ObjectError`` if the request can't be translated into SQL or the database can't be read.
    public func results<T: Object>(
        _ request: ObjectRequest<T>,
        sectionBy section: SortDescriptor<T>? = nil,
        title: ((SectionValue) -> String)? = nil
    ) throws -> ResultsController<T> {
        let controller = try ResultsController(request, sectionBy: section, title: title, in: context)
        context.add(controller)
        return controller
    }
}
#endif
