/* The least barrier of all inputs that count: a tree of radix 4, once for each kind of barrier.
 *
 *   place in its group               group                        promises
 *   +-------+ ... +-------+          +--------+ ... +--------+    +-------+   +-----+
 *   | link0 |     | link3 | least    | branch0|     | branch3|    | below |   | all |
 *   | own:  |     | other:| -------> | own:   |     | other: | -> +-------+   +-----+
 *   | raise |     | ahead?| of four  | raise  |     | ahead? |      0, 1       0 to 3
 *   +-------+     +-------+          +--------+     +--------+
 *
 * A packet raises the register of its own link, and asks each other one of its group how far it
 * is ahead. What is behind lowers the packet's own barrier: the group's least. The same again
 * with the groups. Only differences are compared, so that barriers may wrap: whoever is ahead by
 * less than half of all barriers is ahead, and what a link says from further away looks as if
 * it were behind, and holds others up until the controller takes the link out.
 *
 * A register is never lowered. A packet whose barrier is below its link's register raises
 * nothing; what it carries on is lower than the truth, and true: a barrier is a lower bound.
 *
 * below   what leaves upward says: the groups that are below. It does not wait for what is above,
 *         or two switches would wait for each other.
 * all     what leaves downward says.
 */
#ifndef P4CE_ONEPIPE_TREE_P4
#define P4CE_ONEPIPE_TREE_P4

/* Place n of every group: its own packet raises it, the others' look, and only if it counts. */
#define LINK_REGISTER(n)                                                      \
    Register<bit<32>, bit<2>>(RADIX) link##n;                                 \
    RegisterAction<bit<32>, bit<2>, bit<1>>(link##n) link##n##_raise = {      \
        void apply(inout bit<32> held, out bit<1> higher) {                   \
            if ((int<32>)(held - barrier) < 0) {                              \
                held = barrier;                                               \
                higher = 1;                                                   \
            } else {                                                          \
                higher = 0;                                                   \
            }                                                                 \
        }                                                                     \
    };                                                                        \
    RegisterAction<bit<32>, bit<2>, bit<32>>(link##n) link##n##_ahead = {     \
        void apply(inout bit<32> held, out bit<32> by) {                      \
            by = held - barrier;                                              \
        }                                                                     \
    };                                                                        \
    action own##n() {                                                         \
        raised = link##n##_raise.execute(group);                              \
    }                                                                         \
    action other##n() {                                                       \
        ahead##n = (int<32>)link##n##_ahead.execute(group);                   \
    }                                                                         \
    table places##n {                                                         \
        key = { place : ternary; counted[n:n] : ternary @name("counted"); }   \
        actions = { own##n; other##n; NoAction; }                             \
        const default_action = NoAction();                                    \
        const entries = {                                                     \
            (n, _) : own##n();                                                \
            (PLACE_NONE, _) : NoAction();                                     \
            (_, 1) : other##n();                                              \
        }                                                                     \
        size = 4;                                                             \
    }

/* The same for group n of the tree: least is what the group says, with this packet. */
#define BRANCH_REGISTER(n)                                                    \
    Register<bit<32>, bit<1>>(1) branch##n;                                   \
    RegisterAction<bit<32>, bit<1>, bit<1>>(branch##n) branch##n##_raise = {  \
        void apply(inout bit<32> held) {                                      \
            if ((int<32>)(held - least) < 0) {                                \
                held = least;                                                 \
            }                                                                 \
        }                                                                     \
    };                                                                        \
    RegisterAction<bit<32>, bit<1>, bit<32>>(branch##n) branch##n##_ahead = { \
        void apply(inout bit<32> held, out bit<32> by) {                      \
            by = held - least;                                                \
        }                                                                     \
    };                                                                        \
    action own_branch##n() {                                                  \
        branch##n##_raise.execute(0);                                         \
    }                                                                         \
    action other_branch##n() {                                                \
        lead##n = (int<32>)branch##n##_ahead.execute(0);                      \
    }                                                                         \
    table branches##n {                                                       \
        key = { branch : ternary; counted_branches[n:n] : ternary @name("counted"); }\
        actions = { own_branch##n; other_branch##n; NoAction; }               \
        const default_action = NoAction();                                    \
        const entries = {                                                     \
            (n, _) : own_branch##n();                                         \
            (PLACE_NONE, _) : NoAction();                                     \
            (_, 1) : other_branch##n();                                       \
        }                                                                     \
        size = 4;                                                             \
    }

control Tree(in bit<32> barrier,
             in bit<2> group,
             in place_t place,
             in place_t branch,
             in bit<4> counted,
             in bit<4> counted_branches,
             out bit<32> below,
             out bit<32> all,
             out bit<1> raised,
             out bit<1> rose) {
    int<32> ahead0 = 0; /* of this packet; negative: behind */
    int<32> ahead1 = 0;
    int<32> ahead2 = 0;
    int<32> ahead3 = 0;
    int<32> lead0 = 0;
    int<32> lead1 = 0;
    int<32> lead2 = 0;
    int<32> lead3 = 0;
    bit<32> least = 0;
    bit<1> below_rose = 0;
    bit<1> all_rose = 0;

    LINK_REGISTER(0)
    LINK_REGISTER(1)
    LINK_REGISTER(2)
    LINK_REGISTER(3)
    BRANCH_REGISTER(0)
    BRANCH_REGISTER(1)
    BRANCH_REGISTER(2)
    BRANCH_REGISTER(3)

    Register<bit<32>, bit<1>>(1) promise_below;
    RegisterAction<bit<32>, bit<1>, bit<1>>(promise_below) below_raise = {
        void apply(inout bit<32> held, out bit<1> higher) {
            if ((int<32>)(held - below) < 0) {
                held = below;
                higher = 1;
            } else {
                higher = 0;
            }
        }
    };

    Register<bit<32>, bit<1>>(1) promise_all;
    RegisterAction<bit<32>, bit<1>, bit<1>>(promise_all) all_raise = {
        void apply(inout bit<32> held, out bit<1> higher) {
            if ((int<32>)(held - all) < 0) {
                held = all;
                higher = 1;
            } else {
                higher = 0;
            }
        }
    };

    apply {
        raised = 0;
        places0.apply();
        places1.apply();
        places2.apply();
        places3.apply();
        ahead0 = min(ahead0, ahead1);
        ahead2 = min(ahead2, ahead3);
        ahead0 = min(ahead0, ahead2);
        least = barrier + (bit<32>)ahead0;
        branches0.apply();
        branches1.apply();
        branches2.apply();
        branches3.apply();
        lead0 = min(lead0, lead1);
        lead2 = min(lead2, lead3);
        lead2 = min(lead0, lead2);
        below = least + (bit<32>)lead0;
        all = least + (bit<32>)lead2;
        if (branch != PLACE_NONE) {
            below_rose = below_raise.execute(0);
            all_rose = all_raise.execute(0);
        }
        rose = below_rose | all_rose;
    }
}

#endif
