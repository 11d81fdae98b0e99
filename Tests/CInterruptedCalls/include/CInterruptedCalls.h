#ifndef LARDER_INTERRUPTED_CALLS_H
#define LARDER_INTERRUPTED_CALLS_H

// From now on, in this program, of three calls that read, write, reserve or sync one is cut short by a signal before it has
// done anything, and one has done half of what it should. Linux only: elsewhere it does nothing and returns 0.
int larder_interrupt_calls(void);

// How many calls were cut short so far.
unsigned larder_interrupted_calls(void);

#endif
