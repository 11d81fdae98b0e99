#ifndef LARDER_FOREIGN_SIGNALS_H
#define LARDER_FOREIGN_SIGNALS_H

// A program with its own SIGBUS handlers. They are in C because Swift can't call sigsetjmp.

// Installs the handler called `name`, which blocks SIGUSR1 while it runs. Returns 0, or -1 if there is no such handler.
//
// The handler "jumping" leaves with siglongjmp. The others map a page in place of the missing one and return. They are "repairing";
// "plain", which receives only the signal number and does not block SIGBUS; and "once", which is called only once.
int foreign_handler_install(const char *name);

// Returns the number of times that the handler was called.
unsigned foreign_handler_calls(void);

// Returns a description of how a call of the handler differed from what sigaction guarantees, or NULL if it did not differ.
const char *foreign_handler_complaint(void);

// Reads a mapped page of a truncated file. Returns 0 if the handler was called exactly once and the thread's signal mask is unchanged.
int foreign_fault(void);

// Lets larder_store fault on such a page while it reads. Returns 0 if the handler was called exactly once and Larder still distinguishes
// its own faults from others afterwards.
int foreign_fault_in_store(void);

#endif
