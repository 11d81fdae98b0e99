#ifndef LARDER_INTERRUPTED_CALLS_H
#define LARDER_INTERRUPTED_CALLS_H

// Signals that cut this program's system calls short, as if they had come at chosen moments: those that open, read, write, reserve,
// cut, sync, lock, rename, remove and close files. Linux only: elsewhere nothing is, and these functions say so by returning 0.

// From now on, of three calls one is cut short before it has done anything, and one has read or written half of what it should.
int larder_interrupt_calls(void);

// How calls are cut short from one on.
typedef enum {
    // None is.
    larder_cut_nothing,
    // That one, before it has done anything.
    larder_cut_one,
    // That one and every later one, two times each: the third attempt is let through.
    larder_cut_each_twice,
    // That one has read or written half of what it should. Only calls that can are counted.
    larder_halve_one,
    // That one and every later one have read or written half of what they should. Only calls that can are counted.
    larder_halve_each,
    // That one and every later one: one attempt does nothing, the next one half, and so on.
    larder_cut_and_halve_each,
} larder_cut;

// From now on calls are counted anew, from 1, and are cut short in that way from the one with the number `first` on.
int larder_cut_calls(larder_cut way, unsigned first);

// How many calls were counted.
unsigned larder_counted_calls(void);

// How many calls were cut short so far.
unsigned larder_interrupted_calls(void);

// From now on this program's files lie where room can't be reserved.
int larder_refuse_room(void);

// How many times it was asked for.
unsigned larder_refused_room(void);

#endif
