/* Conditions over several tables.
 *
 * What follows WHEN is done for packets of which the condition holds. The keys of the tables in it
 * say so themselves: on a Tofino, where a block of a condition must be finished before anything else
 * is begun, the tables stand alone and share their stages with others; elsewhere other packets are
 * spared them. -DSTAND_ALONE is Tofino's form everywhere, for tests.
 */
#ifndef P4CE_WHEN_P4
#define P4CE_WHEN_P4

#ifndef __p4xc__
#define STAND_ALONE
#endif
#ifdef STAND_ALONE
#define WHEN(condition)
#else
#define WHEN(condition) if (condition)
#endif

#endif
