#ifndef LARDER_FOREIGN_SIGNALS_H
#define LARDER_FOREIGN_SIGNALS_H

// A program that has something of its own to do with SIGBUS: what Swift can't do, for it can't call sigsetjmp.

// Installs the handler of that name, which has SIGUSR1 blocked while it runs: 0, or -1 when there is none.
// "jumping" leaves by siglongjmp; the others map a page where there is none, and return: "repairing", "plain", which is told the
// number only and does not have SIGBUS blocked, and "once", which is called but once.
int foreign_handler_install(const char *name);

// How often it was called.
unsigned foreign_handler_calls(void);

// What was not as sigaction promises it to a handler; NULL when nothing was.
const char *foreign_handler_complaint(void);

// Reads a page of a file that was cut: 0 when the handler was called for it, once, and the thread's signal mask is as it was.
int foreign_fault(void);

// Has larder_store meet such a page where it reads: 0 when the handler was called for it, once, and Larder knows its own faults
// from others' ever after.
int foreign_fault_in_store(void);

#endif
