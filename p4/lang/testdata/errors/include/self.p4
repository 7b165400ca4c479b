#include "self.p4"
