#include "CLarderPlatform.h"
