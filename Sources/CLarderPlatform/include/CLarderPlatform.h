// What Swift can't import of the C library on some platform: feature-gated calls and variadic ones.
#ifndef C_LARDER_PLATFORM_H
#define C_LARDER_PLATFORM_H

#endif
