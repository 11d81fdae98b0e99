#if Replication
public import ServiceLifecycle

extension ReplicatedStore: Service {}
#endif
