#include "CCallgrind.h"
