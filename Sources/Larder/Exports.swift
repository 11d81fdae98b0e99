@_exported public import LarderCore
@_exported public import LarderDataSources
@_exported public import LarderDefaults
@_exported public import LarderDeviceStorage
@_exported public import LarderDeviceStore
@_exported public import LarderFiles
@_exported public import LarderStores
