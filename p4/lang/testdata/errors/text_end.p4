// What is not closed at the end. P4002 P4013
const bit<8> s = /* ERROR P4002 "string is not terminated on its line" */ "never ends
1;
#if 1 // ERROR P4013 "has no #endif"
const bit<8> a = 1;
/* ERROR P4002 "comment is not terminated" */ /* no end
