#if Objects
/// An executor that runs each job at once, on the thread that resumes a task.
final class InlineExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }
}
#endif
