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
    Register<bit<32>, group_t>(GROUPS) link##n;                               \
    RegisterAction<bit<32>, group_t, bit<1>>(link##n) link##n##_raise = {     \
        void apply(inout bit<32> held, out bit<1> higher) {                   \
            if ((int<32>)(held - barrier) < 0) {                              \
                held = barrier;                                               \
                higher = 1;                                                   \
            } else {                                                          \
                higher = 0;                                                   \
            }                                                                 \
        }                                                                     \
    };                                                                        \
    RegisterAction<bit<32>, group_t, bit<32>>(link##n) link##n##_ahead = {    \
        void apply(inout bit<32> held, out bit<32> by) {                      \
            by = held - barrier;                                              \
        }                                                                     \
    };                                                                        \
    action own##n() {                                                         \
        raised##n = link##n##_raise.execute(group);                           \
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

/* The same for group n of the tree, which knows its least by its halves: first is behind or
 * second. */
#define BRANCH_REGISTER(n)                                                    \
    Register<bit<32>, bit<1>>(1) branch##n;                                   \
    RegisterAction<bit<32>, bit<1>, bit<1>>(branch##n) branch##n##_first = {  \
        void apply(inout bit<32> held) {                                      \
            if ((int<32>)(held - first) < 0) {                                \
                held = first;                                                 \
            }                                                                 \
        }                                                                     \
    };                                                                        \
    RegisterAction<bit<32>, bit<1>, bit<1>>(branch##n) branch##n##_second = { \
        void apply(inout bit<32> held) {                                      \
            if ((int<32>)(held - second) < 0) {                               \
                held = second;                                                \
            }                                                                 \
        }                                                                     \
    };                                                                        \
    RegisterAction<bit<32>, bit<1>, bit<32>>(branch##n) branch##n##_ahead_first = {   \
        void apply(inout bit<32> held, out bit<32> by) {                      \
            by = held - first;                                                \
        }                                                                     \
    };                                                                        \
    RegisterAction<bit<32>, bit<1>, bit<32>>(branch##n) branch##n##_ahead_second = {  \
        void apply(inout bit<32> held, out bit<32> by) {                      \
            by = held - second;                                               \
        }                                                                     \
    };                                                                        \
    action own_branch##n##_first() {                                          \
        branch##n##_first.execute(0);                                         \
    }                                                                         \
    action own_branch##n##_second() {                                         \
        branch##n##_second.execute(0);                                        \
    }                                                                         \
    action other_branch##n##_first() {                                        \
        lead##n = (int<32>)branch##n##_ahead_first.execute(0);                \
    }                                                                         \
    action other_branch##n##_second() {                                       \
        lead##n = (int<32>)branch##n##_ahead_second.execute(0);               \
    }                                                                         \
    table branches##n {                                                       \
        key = {                                                               \
            branch : ternary;                                                 \
            counted_branches[n:n] : ternary @name("counted");                 \
            order : ternary;                                                  \
        }                                                                     \
        actions = {                                                           \
            own_branch##n##_first;                                            \
            own_branch##n##_second;                                           \
            other_branch##n##_first;                                          \
            other_branch##n##_second;                                         \
            NoAction;                                                         \
        }                                                                     \
        const default_action = NoAction();                                    \
        const entries = {                                                     \
            (n, _, NEGATIVE &&& NEGATIVE) : own_branch##n##_first();          \
            (n, _, _) : own_branch##n##_second();                             \
            (PLACE_NONE, _, _) : NoAction();                                  \
            (_, 1, NEGATIVE &&& NEGATIVE) : other_branch##n##_first();        \
            (_, 1, _) : other_branch##n##_second();                           \
        }                                                                     \
        size = 8;                                                             \
    }

control Tree(in bit<32> barrier,
             in group_t group,
             in place_t place,
             in place_t branch,
             in bit<4> counted,
             in bit<4> counted_branches,
             out bit<32> below,
             out bit<32> above,
             out bit<32> last,
             out bit<1> raised,
             out bit<1> below_rose,
             out bit<1> all_rose) {
    int<32> ahead0 = 0; /* of this packet; negative: behind */
    int<32> ahead1 = 0;
    int<32> ahead2 = 0;
    int<32> ahead3 = 0;
    int<32> lead0 = 0;
    int<32> lead1 = 0;
    int<32> lead2 = 0;
    int<32> lead3 = 0;
    bit<1> raised0 = 0;
    bit<1> raised1 = 0;
    bit<1> raised2 = 0;
    bit<1> raised3 = 0;
    bit<32> first = 0;  /* the least of the first half of a group or of the tree, */
    bit<32> second = 0; /* of the second half, */
    bit<32> order = 0;  /* and which is behind: negative: the first */
    bit<32> least = 0;

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
    RegisterAction<bit<32>, bit<1>, bit<1>>(promise_all) all_raise_below = {
        void apply(inout bit<32> held, out bit<1> higher) {
            if ((int<32>)(held - below) < 0) {
                held = below;
                higher = 1;
            } else {
                higher = 0;
            }
        }
    };
    RegisterAction<bit<32>, bit<1>, bit<1>>(promise_all) all_raise_above = {
        void apply(inout bit<32> held, out bit<1> higher) {
            if ((int<32>)(held - above) < 0) {
                held = above;
                higher = 1;
            } else {
                higher = 0;
            }
        }
    };

    action promised_below() {
        below_rose = below_raise.execute(0);
    }

    action all_is_below() {
        all_rose = all_raise_below.execute(0);
    }

    action all_is_above() {
        all_rose = all_raise_above.execute(0);
    }

    table promises_below {
        key = { branch : ternary; }
        actions = { promised_below; NoAction; }
        const default_action = NoAction();
        const entries = {
            PLACE_NONE : NoAction();
            _ : promised_below();
        }
        size = 2;
    }

    table promises_all {
        key = { branch : ternary; last : ternary; }
        actions = { all_is_below; all_is_above; NoAction; }
        const default_action = NoAction();
        const entries = {
            (PLACE_NONE, _) : NoAction();
            (_, NEGATIVE &&& NEGATIVE) : all_is_below();
            (_, _) : all_is_above();
        }
        size = 4;
    }

    action least_is_first() {
        least = first;
    }

    action least_is_second() {
        least = second;
    }

    table leasts {
        key = { order : ternary; }
        actions = { least_is_first; least_is_second; }
        const default_action = least_is_second();
        const entries = {
            NEGATIVE &&& NEGATIVE : least_is_first();
        }
        size = 2;
    }

    apply {
        raised = 0;
        below_rose = 0;
        all_rose = 0;
        places0.apply();
        places1.apply();
        places2.apply();
        places3.apply();
        ahead0 = min(ahead0, ahead1);
        ahead2 = min(ahead2, ahead3);
        first = barrier + (bit<32>)ahead0;
        second = barrier + (bit<32>)ahead2;
        order = (bit<32>)(ahead0 |-| ahead2);
        branches0.apply();
        branches1.apply();
        branches2.apply();
        branches3.apply();
        leasts.apply();
        lead0 = min(lead0, lead1);
        lead2 = min(lead2, lead3);
        below = least + (bit<32>)lead0;
        above = least + (bit<32>)lead2;
        last = (bit<32>)(lead0 |-| lead2);
        promises_below.apply();
        promises_all.apply();
        if (raised0 == 1 || raised1 == 1 || raised2 == 1 || raised3 == 1) {
            raised = 1;
        }
    }
}

#endif
