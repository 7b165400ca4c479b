// Text and preprocessor. P4001 P4002 P4003 P4010..P4016
const bit<8> a = 1 /* ERROR P4001 "illegal character '`'" */ `;
const bit<8> b = 8w /* nothing */; // ERROR P4003 "no digits"
const bit<8> c = 0x1g; // ERROR P4003 "not a base-16 number"
const bit<8> d = 5000w1; // ERROR P4003 "width out of range"
const bit<8> e = 8w300; // WARN P4003 "does not fit its width"
const bit<4> ff = 31; // WARN P4303 "value 31 does not fit bit<4>"
#include "self.p4"
#include nothing // ERROR P4011 "#include needs"
#define // ERROR P4011 "#define needs a name"
#define defined 1 // ERROR P4011 "cannot be a macro"
#define F(x, ) 1 // ERROR P4011 "parameter list is names"
#define G(x) #y // ERROR P4011 "must be followed by a parameter"
#define H a ## // ERROR P4011 "cannot be at either end"
#frobnicate // ERROR P4011 "unknown directive"
#error the text it gives // ERROR P4012 "the text it gives"
#else // ERROR P4013 "#else without #if"
#if 1
#else
#elif 0 // ERROR P4013 "#elif after #else"
#endif
#if 1 / 0 // ERROR P4014 "division by zero"
#endif
#if 1 + // ERROR P4014 "unexpected end of file"
#endif
#if (1 // ERROR P4014 "expected '\)'"
#endif
#ifdef // ERROR P4014 "needs one name"
#endif
#if 1 || 1 / 0
const bit<8> live = 1;
#endif
#if defined(NOPE) && (NOPE / 0)
#error skipped: don't look
#endif
#define ADD(x, y) ((x) + (y))
const bit<8> g = ADD(1); // ERROR P4015 "takes 2 arguments, not 1"
#define TWICE 1
#define TWICE 2 // ERROR P4016 "defined again"
#define GLUE(x, y) x ## y
const bit<8> h = GLUE(+, 1); // WARN P4015 "does not make one token"
const bit<8> i = ADD(1, 2;; // ERROR P4015 "has no '\)'"
// ERROR P4101 "found end of file"