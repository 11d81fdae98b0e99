package import LarderCore

extension DeviceStore: PagingStore {
    package func page(_ request: EntryPageRequest) throws -> EntryPage {
        try checkOpen()
        return try engine.enter { try Paging.page(request, &$0) }
    }
}
