package import LarderCore

// Pages of the stores whose entries are in one table in memory.

extension MemoryStore: PagingStore {
    package func page(_ request: EntryPageRequest) throws -> EntryPage { table.page(request) }
}

extension WholeFileStore: PagingStore {
    package func page(_ request: EntryPageRequest) throws -> EntryPage { try file.table().page(request) }
}
