// Rules about where types, arguments and annotations may stand. P4201 P4204 P4301 P4302 P4303 P4305..P4309 P4311 P4313 P4401..P4409 P4505 P4506
#include "prelude.p4"
control Blk();
control Body() { apply { } }
extern X1 { X1(); void X1(); } // ERROR P4313 "a constructor returns nothing"
extern X2 { X2(Blk b); } // ERROR P4311 "cannot have the type control Blk"
extern X3 { int f(); void g(in string s); void h(in int n); void k(Blk b); } // ERROR P4311 "cannot return int" // ERROR P4308 "of type string cannot have a direction" // ERROR P4308 "of type int cannot have a direction" // ERROR P4311 "cannot have the type control Blk"
extern X4 { X4(); abstract void f(); }
extern void any<T>(in T t);
extern Gen<T> { Gen(); void f(in T t); }
extern Widget<T> { }
extern Widget<T> make<T>(in T t);
package Pkg(X4 x);
control Own()(Body b) { apply { } } // ERROR P4311 "cannot have the type control Body"
control Opt(@optional in bit<8> a)(@optional bit<8> n) { apply { } } // ERROR P4505 "cannot be optional"
control WithWidget()(Widget<bit<8>> w) { apply { } }
bit<8> opt(@optional in bit<8> a) { return a; } // ERROR P4505 "cannot be optional"
typedef tuple<bit<8>> small_t;
struct box<T> { T f; }
typedef box<bit<8>> small_box;
typedef box<small_box> nested; // ERROR P4407 "contains itself"
header hbox<T> { T f; }
typedef hbox<small_t> bad_box; // ERROR P4311 "cannot have the type tuple"
header_union ubox<T> { T f; }
typedef ubox<bit<8>> bad_union; // ERROR P4311 "cannot have the type bit<8>"
header_union bad_member { bit<8> f; } // ERROR P4311 "header union cannot have a field of type bit<8>"
typedef tuple<Gen<bit<8>>> bad_tuple; // ERROR P4311 "tuple cannot have an element"
header one_h { varbit<8> a; }
header two_h { varbit<8> a; varbit<8> b; }
header len_h { bit<8> n; @length(n) varbit<8> a; @length(later) varbit<8> b; bit<8> later; } // ERROR P4201 "there is no field .later. in front of"
@pkginfo const bit<8> info = 1; // ERROR P4505 "needs arguments"
@name(4) const bit<8> nam = 1; // ERROR P4505 "needs a string"
@two[1] @two[2] const bit<8> two = 1; // ERROR P4505 "given twice"
@lists[a = {1}] const bit<8> lst = 1; // ERROR P4505 "a value in"
@p4runtime_translation("x", bool) type bit<8> tr_t; // ERROR P4505 "a controller's type is"
type bit<8> new_t;
new_t convert(in bit<4> a) { return (new_t)a; } // ERROR P4304 "cannot cast bit<4> to new_t"
bool same<T>(in T a, in T b) { return a == b; } // ERROR P4302 "operator =="
struct all_t { one_h one; two_h two; eth_h eth; eth_h[2] stack; }

parser Circle(packet_in p) { // ERROR P4406 "never reaches accept or reject"
    state start { transition next; }
    state next { transition start; }
}
parser Args(packet_in p, out all_t h, out meta_t m) {
    Body() b = { }; // ERROR P4409 "has no abstract methods"
    state start {
        p.extract(m); // ERROR P4301 "only a header can be extracted"
        p.extract(h.one); // ERROR P4301 "its size must be given"
        p.extract(h.eth, 8); // ERROR P4301 "no varbit field"
        p.extract(h.two, 8); // ERROR P4301 "several varbit fields"
        one_h l = p.lookahead<one_h>(); // ERROR P4309 "needs a type of a fixed size"
        verify(true, error.NoMatch);
        transition accept;
    }
}
control Rules(inout all_t hdr, inout meta_t md) {
    Body() inner;
    WithWidget(make(md.x)) w; // ERROR P4305 "must be known when compiling"
    action a() { }
    action d(inout bit<8> x) { x = 1; }
    @name(".twin") action e() { }
    @name(".twin") action f() { } // ERROR P4506 "another one has this name"
    table t {
        key = { md.x + 1 : exact; } // ERROR P4402 "has no name by itself"
        actions = { a; d(md.x); }
        default_action = d(md.y[7:0]); // ERROR P4403 "another one in the list"
    }
    table u {
        entries = { 1 : a(); } // ERROR P4404 "the entries come behind the key" // ERROR P4403 "no entry can have it"
        key = { md.x : exact; }
        actions = { @defaultonly a; @tableonly e; }
        default_action = e(); // ERROR P4403 "cannot be the default action"
    }
    table v {
        default_action = a(); // ERROR P4403 "comes behind the list"
        key = { md.x : ternary; }
        actions = { a; }
        entries = { 1 : a(); priority = 3 : 2 : a(); } // ERROR P4404 "the first entry needs a priority"
    }
    table x {
        key = { md.x : ternary; md.y : ternary; }
        actions = { a; }
        priority_delta = 5;
        entries = { priority = 7 : (1, 1) : a(); (2, 2) : a(); (3, 3) : a(); } // ERROR P4404 "would be -3"
        default_action = a();
    }
    table self {
        key = { self : exact; } // ERROR P4201 "self. is not declared" // ERROR P4407 "means the table itself"
        actions = { a; }
    }
    apply {
        tuple<bit<48>, bit<48>, bit<16>> tup = { 1, 2, 3 };
        hdr.eth = tup; // ERROR P4301 "where header eth_h is needed"
        verify(true, error.NoMatch); // ERROR P4408 "belongs in a parser"
        any("text"); // ERROR P4301 "a string cannot be an argument"
        any(inner); // ERROR P4301 "cannot be an argument" // ERROR P4301 "cannot be passed"
        any({ a = md.x }); // ERROR P4309 "the type of this structure is not known"
        md.x = md.x / -1; // ERROR P4302 "negative numbers" // WARN P4303 "does not fit"
        md.x = (1 << md.x) + 8w2; // ERROR P4303 "width of this shift"
        md.x = md.y["high":0]; // ERROR P4301 "a bound of a slice is a number"
        md.y = (bit<16>)hdr.stack.lastIndex; // ERROR P4408 "only known in a parser"
        bit<16> v = 0;
        md.x = v[md.x +: 17]; // ERROR P4310 "a slice of 17 bits"
        for (bit<8> i in md.x) { } // ERROR P4301 "a loop goes over"
        continue; // ERROR P4408 "belong in a loop"
    }
}
control Hides(inout meta_t md) {
    apply {
        meta_t md = md; // ERROR P4203 "hides the parameter" // WARN P4203 "hides a parameter"
    }
}
Body() outside; // ERROR P4408 "cannot be instantiated here"
Pkg(X4()) pkg; // ERROR P4409 "declare the instance"
#include "finish.p4"
