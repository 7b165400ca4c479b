// Grammar. P4101 P4102 P4103
#include "prelude.p4"
const bit<8> a = /* ERROR P4101 "expected an expression, found ';'" */ ;
const bit<8> b = 1 /* ERROR P4101 "expected ';', found 'c'" */ c;
const bit<8> missing = 1 // ERROR P4101 "expected ';' after '1'"
const bit<8> after = 2;
header_union u { small_h a; small_h b; }
bit<8> variable; // ERROR P4101 "a variable cannot be declared here"
struct s { bit<8> a /* ERROR P4101 "expected ';', found '}'" */ }
enum e1 { A = 1 } // ERROR P4101 "only an enum with a type"
enum bit<8> e2 { A } // ERROR P4101 "needs a value"
table t { } // ERROR P4101 "a table cannot be declared here"
typedef struct x { } x_t; // ERROR P4101 "cannot be declared inside a typedef"
typedef bit<*> wrong_t; // ERROR P4101 "expected an expression"
@name( // ERROR P4101 "annotation @name is not closed"
