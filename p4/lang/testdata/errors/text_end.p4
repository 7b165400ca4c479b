// What is not closed at the end. P4002 P4013
const bit<8> a = /* ERROR P4002 "string is not terminated" */ "never ends
1;
#if 1 // ERROR P4013 "has no #endif"
const bit<8> b = 1;
/* ERROR P4002 "comment is not terminated" */ /* no end
