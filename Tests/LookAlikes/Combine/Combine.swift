// Declarations of Combine that a program may import together with Larder, without implementations. The frameworks' documentation describes
// them.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error
}

public final class Future<Output, Failure: Error>: Publisher {
    public typealias Promise = (Result<Output, Failure>) -> Void

    public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {}
}

public struct Just<Output>: Publisher {
    public typealias Failure = Never

    public let output: Output

    public init(_ output: Output) { self.output = output }
}

public struct AnyPublisher<Output, Failure: Error>: Publisher {}
public struct Deferred<DeferredPublisher: Publisher> {}
public struct Empty<Output, Failure: Error>: Publisher {}
public struct Fail<Output, Failure: Error>: Publisher {}
public struct Record<Output, Failure: Error>: Publisher {}
public enum Publishers {}
public enum Subscribers {}
public enum Subscriptions {}
public protocol Cancellable { func cancel() }
public final class AnyCancellable {}
public protocol Subscription: Cancellable {}
public protocol Subscriber<Input, Failure> {
    associatedtype Input
    associatedtype Failure: Error
}
public protocol Subject<Output, Failure>: Publisher {}
public final class PassthroughSubject<Output, Failure: Error>: Subject {}
public final class CurrentValueSubject<Output, Failure: Error>: Subject {}
public protocol Scheduler {}
public struct ImmediateScheduler: Scheduler {}
public protocol ObservableObject: AnyObject {}
public protocol TopLevelEncoder<Output> { associatedtype Output }
public protocol TopLevelDecoder<Input> { associatedtype Input }

@propertyWrapper public struct Published<Value> {
    public var wrappedValue: Value

    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}
