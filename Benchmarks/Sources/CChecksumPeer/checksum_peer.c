#include "CChecksumPeer.h"
