#ifndef LARDER_INTERRUPTED_CALLS_H
#define LARDER_INTERRUPTED_CALLS_H

// Simulates signals that interrupt this program's system calls at chosen moments. It affects the calls that open, read, write, reserve,
// truncate, sync, lock, rename, remove and close files. It works only on Linux; on other systems these functions have no effect and return
// 0.

// From now on, one of every three calls is interrupted before it has an effect, and one reads or writes only half of its bytes.
int larder_interrupt_calls(void);

// The ways in which calls can be interrupted, beginning with a chosen call.
typedef enum {
    // No call is interrupted.
    larder_cut_nothing,
    // Only the chosen call is interrupted, before it has an effect.
    larder_cut_one,
    // The chosen call and every later call are interrupted twice, so that the third attempt succeeds.
    larder_cut_each_twice,
    // The chosen call reads or writes only half of its bytes. Only calls that read or write are counted.
    larder_halve_one,
    // The chosen call and every later call read or write only half of their bytes. Only calls that read or write are counted.
    larder_halve_each,
    // For the chosen call and every later call, attempts alternately have no effect and process half of the bytes.
    larder_cut_and_halve_each,
} larder_cut;

// Restarts counting calls from 1, and interrupts calls in the given way, beginning with the call that has the number `first`.
int larder_cut_calls(larder_cut way, unsigned first);

// Returns the number of calls that were counted.
unsigned larder_counted_calls(void);

// Returns the number of calls that have been interrupted so far.
unsigned larder_interrupted_calls(void);

// From now on, calls that reserve disk space fail, as on file systems that don't support them.
int larder_refuse_room(void);

// Returns the number of calls to reserve disk space that have failed.
unsigned larder_refused_room(void);

#endif
