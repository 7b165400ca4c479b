/*
 * The decision protocol of systems/rdma/smr: slow path, permissions, amnesia,
 * accelerated mode and fall-back. README.md says what is checked, what is
 * abstracted away, and which rule each -D flag breaks.
 *
 * One process whose options are the steps of the protocol, each atomic. A WRITE
 * in flight needs no message of its own: what the leader of a term writes to a
 * slot never changes, so a WRITE is executed whenever the target still grants the
 * term and everything before it on that connection was executed. One that never
 * is was lost or refused. An acknowledgement may come late or never: the leader
 * learns of a decision in a step of its own, COMMIT, which need not come.
 *
 * Bounds: N servers, K terms, S slots, C crashes in all. -DSWITCH adds
 * accelerated mode, -DBARRIER read barriers, -DCHANGE one change of membership, from
 * the servers of the mask OLD to those of NEW. Each MUT_ flag breaks one rule. Each GOAL_ flag claims that
 * something good cannot happen: the counterexample shows that it can.
 */
#ifndef N
#define N 3
#endif
#ifndef K
#define K 3
#endif
#ifndef S
#define S 2
#endif
#ifndef C
#define C 1
#endif

#define K1 (K + 1)
#define CNT(m) (((m) & 1) + (((m) >> 1) & 1) + (((m) >> 2) & 1) + (((m) >> 3) & 1) + (((m) >> 4) & 1))
#define BIT(i) (1 << (i))

#ifdef MUT_HALF
#define MAJORITY ((N + 1) / 2) /* wrong for even N */
#else
#define MAJORITY (N / 2 + 1)
#endif
#define OTHERS ((N - 1) / 2 + 1) /* a majority of the other servers */

/*
 * The membership of a term is that which its owner knew when it began. A membership is
 * an entry, CHANGED; who applies it knows the new one.
 */
#ifdef CHANGE
#ifndef OLD
#define OLD 7
#endif
#ifndef NEW
#define NEW 15
#endif
#define CHANGED 7
#define MEMBERS(c) ((c) -> NEW : OLD)
#define AMONG(t, m) ((m) & MEMBERS(cfg[t]))
#define ENOUGH(t) (CNT(MEMBERS(cfg[t])) / 2 + 1)
#else
#define AMONG(t, m) (m)
#define ENOUGH(t) MAJORITY
#endif

/*
 * The number of a term. In the model a term is 1..K, has one owner, and is used
 * once. The mutant gives terms 1 and 2 one number, as if the id were no part of it.
 */
#ifdef MUT_TERM_REUSED
#define NUM(t) ((t) == 1 -> 2 : (t))
#define HIGHER(t, p) ((t) != (p) && NUM(t) >= NUM(p))
#else
#define NUM(t) (t)
#define HIGHER(t, p) ((t) > (p))
#endif

/* An entry: term and value; 0 is "no complete entry". A value is the term that first proposed it. */
#define ENTRY(t, v) (((t) << 3) | (v))
#define VAL(e) ((e) & 7)
#define TERM(e) ((e) >> 3)

/* Servers */
#define MEMBER 0
#define RECOVERING 1
byte state[N];
byte promised[N]; /* promised term */
byte perm[N];     /* the term whose connections may WRITE the log, 0 none */
byte next[N];     /* slots executed on the direct connection of perm */
byte gnext[N];    /* the same on the group's connection */
byte head[N];     /* first slot not applied */
byte asked[N];    /* recovering: whose promised terms it has read */
byte log[N * S];
#define LOG(i, s) log[(i) * S + (s)]
#ifdef MUT_NOT_REVOKED
byte perm2[N]; /* the old leader's connections, not revoked */
byte next2[N];
#endif

/* Terms */
#define UNUSED 0
#define PREPARE 1
#define LEAD 2
#define DEPOSED 3 /* the owner has promised a higher term */
#define DEAD 4    /* the owner crashed: nobody counts acknowledgements */
byte owner[K1];
byte phase[K1];
byte granted[K1]; /* PREPARE: grants received */
byte read[K1];    /* PREPARE: logs read */
byte tail[K1];    /* PREPARE: D, the largest head; then: the slots posted */
byte commit[K1];  /* what the leader knows to be decided */
byte ent[K1 * S]; /* PREPARE: best entry found; then: the leader's entries */
byte held[K1 * S]; /* who has executed the WRITE of that entry in that term */
#define ENT(t, s) ent[(t) * S + (s)]
#define HELD(t, s) held[(t) * S + (s)]
byte gmem[K1];  /* the group's members, 0: no group was formed */
byte gfrom[K1]; /* the first slot written through the group */
byte gtail[K1]; /* the end of what was written through the group */
bit accel[K1];  /* accelerated mode */
#define INGROUP(t, s) (gmem[t] && (s) >= gfrom[t] && (s) < gtail[t])
#ifdef MUT_GROUP_QUORUM
#define F(t) (CNT(gmem[t]) / 2)
#else
#define F(t) (N / 2)
#endif

/* What the leader of t takes for decided. */
#define ISDECIDED(t, s) (CNT(AMONG(t, HELD(t, s))) >= ENOUGH(t) || (INGROUP(t, s) && CNT(HELD(t, s) & gmem[t]) >= F(t)))

byte crashes;

#ifdef CHANGE
bit mem[N];  /* the membership that it knows */
bit cfg[K1]; /* the membership of a term */
bit own[K1]; /* it has proposed the change itself */
#endif
#ifdef BARRIER
#define NONE 0
#define ASKED_FOR 1
#define CONFIRMED 2
byte bar[K1];   /* of a term: one read barrier */
byte backs[K1]; /* who has executed its WRITE */
byte until[K1]; /* slots that must be decided before it is confirmed */
byte start[K1]; /* slots that were adopted */
byte cover[K1]; /* ghost: slots reported to somebody before it was asked for */
byte reported;  /* ghost */
#endif

/* Ghosts: only the properties look at these. */
byte decided[S];   /* value */
byte decidedIn[S]; /* the lowest term that decided it */
byte proposed[S];  /* values, as bits */

/* Scratch: used within one step only. */
hidden byte i;
hidden byte s;
hidden byte e;
hidden byte d;

/*
 * Names of the properties, for the checker's message: assertion violated
 * (agreement||...). All are 0, always.
 */
hidden byte agreement;
hidden byte validity;
hidden byte stays;
hidden byte applied;
hidden byte goal;
hidden byte current;
#define REACHED(x) assert(goal || !(x));
#ifdef GOAL_DECIDED
#define SEEK_DECIDED REACHED(true)
#else
#define SEEK_DECIDED
#endif
#ifdef GOAL_ADOPTED /* first decided in another term than that which proposed it */
#define SEEK_ADOPTED(t, slot) REACHED(decided[slot] == 0 && VAL(ENT(t, slot)) != t)
#else
#define SEEK_ADOPTED(t, slot)
#endif
/* The acknowledgement of r that makes a majority... */
#define COMPLETES(t, r, slot) (phase[t] == LEAD && CNT(HELD(t, slot)) == N / 2 && !(HELD(t, slot) & BIT(r)))
#ifdef GOAL_SWITCH /* came through the switch */
#define SEEK_SWITCH(t, r, slot) REACHED(accel[t] && COMPLETES(t, r, slot))
#else
#define SEEK_SWITCH(t, r, slot)
#endif
#ifdef GOAL_FALLBACK /* came directly, after the switch had lost it */
#define SEEK_FALLBACK(t, r, slot) REACHED(!accel[t] && INGROUP(t, slot) && COMPLETES(t, r, slot))
#else
#define SEEK_FALLBACK(t, r, slot)
#endif
#ifdef GOAL_REJOINED /* came from a server that had crashed and rejoined */
byte rejoined;
#define SEEK_REJOINED(t, r, slot) REACHED((rejoined & BIT(r)) && state[r] == MEMBER && COMPLETES(t, r, slot))
#define NOTE_REJOINED(r) rejoined = rejoined | BIT(r);
#else
#define SEEK_REJOINED(t, r, slot)
#define NOTE_REJOINED(r)
#endif
#ifdef GOAL_APPLIED /* all have applied everything */
#define SEEK_APPLIED REACHED(head[0] == S && head[1] == S && head[2] == S)
#else
#define SEEK_APPLIED
#endif

#ifdef GOAL_CHANGED /* a value is decided under the new membership */
#define SEEK_CHANGED(t, slot) REACHED(cfg[t] && VAL(ENT(t, slot)) != CHANGED)
#else
#define SEEK_CHANGED(t, slot)
#endif

/* Whoever counts acknowledgements in t may take the slot for decided, or not. */
inline decide(t, slot) {
	if
	:: (phase[t] == LEAD || phase[t] == DEPOSED) && ISDECIDED(t, slot) ->
		printf("\tslot %d decided: value %d\n", slot, VAL(ENT(t, slot)));
		SEEK_DECIDED
		SEEK_ADOPTED(t, slot)
		SEEK_CHANGED(t, slot)
		assert(agreement || decided[slot] == 0 || decided[slot] == VAL(ENT(t, slot)));
		assert(validity || ((proposed[slot] >> VAL(ENT(t, slot))) & 1));
		if
		:: decided[slot] == 0 || t < decidedIn[slot] -> decidedIn[slot] = t
		:: else
		fi;
		decided[slot] = VAL(ENT(t, slot))
	:: else
	fi
}

#ifdef CHANGE
#define LEARN(r) \
	if \
	:: VAL(LOG(r, head[r])) == CHANGED -> mem[r] = 1 \
	:: else \
	fi;
#else
#define LEARN(r)
#endif

/* r applies the slot at its head. */
inline apply(r) {
	assert(applied || (decided[head[r]] != 0 && decided[head[r]] == VAL(LOG(r, head[r]))));
	LEARN(r)
	head[r]++;
	SEEK_APPLIED
}

/* r has promised a higher term: what it led ends. */
inline depose(r) {
	i = 1;
	do
	:: i <= K ->
		if
		:: owner[i] == r && phase[i] == PREPARE ->
			forget(i);
			phase[i] = DEAD
		:: owner[i] == r && phase[i] == LEAD ->
			accel[i] = 0;
			phase[i] = DEPOSED
		:: else
		fi;
		i++
	:: else -> break
	od
}

/* The memory of a preparation. */
inline forget(t) {
	granted[t] = 0;
	read[t] = 0;
	tail[t] = 0;
	s = 0;
	do
	:: s < S -> ENT(t, s) = 0; s++
	:: else -> break
	od
}

/* Take what r's log holds into the preparation of t. */
inline gather(t, r) {
	s = 0;
	do
	:: s < S ->
		if
		:: s < head[r] && s >= tail[t] -> /* applied there: decided */
			ENT(t, s) = LOG(r, s)
		:: s >= head[r] && s >= tail[t] && LOG(r, s) != 0 &&
#ifdef MUT_FIRST_FOUND
		   ENT(t, s) == 0 ->
#else
		   (ENT(t, s) == 0 || NUM(TERM(LOG(r, s))) > NUM(TERM(ENT(t, s)))) ->
#endif
			ENT(t, s) = LOG(r, s)
		:: else
		fi;
		s++
	:: else -> break
	od;
	if
	:: head[r] > tail[t] -> tail[t] = head[r]
	:: else
	fi;
	read[t] = read[t] | BIT(r)
}

#ifdef CHANGE
#define MAYLEAD(t) (MEMBERS(mem[owner[t]]) & BIT(owner[t]))
#define UNDER(t) cfg[t] = mem[e];
#else
#define MAYLEAD(t) true
#define UNDER(t)
#endif
#define START(t) \
	:: d_step { phase[t] == UNUSED && state[owner[t]] == MEMBER && HIGHER(t, promised[owner[t]]) && MAYLEAD(t) -> \
		printf("server %d prepares term %d\n", owner[t], t); \
		e = owner[t]; \
		depose(e); \
		promised[e] = t; perm[e] = 0; next[e] = 0; gnext[e] = 0; \
		phase[t] = PREPARE; granted[t] = BIT(e); UNDER(t) \
		gather(t, e) }

#ifdef MUT_NOT_REVOKED
#define KEEP(r) perm2[r] = perm[r]; next2[r] = next[r];
#else
#define KEEP(r)
#endif

#define GRANT(t, r) \
	:: d_step { (phase[t] == PREPARE || phase[t] == LEAD) && owner[t] != r && state[r] == MEMBER && HIGHER(t, promised[r]) -> \
		printf("server %d grants term %d, after revoking the old one\n", r, t); \
		depose(r); \
		KEEP(r) \
		promised[r] = t; perm[r] = t; next[r] = head[r]; GROUPENDS(r) \
		if \
		:: phase[t] == PREPARE -> granted[t] = granted[t] | BIT(r) \
		:: else \
		fi }

#define READ(t, r) \
	:: d_step { phase[t] == PREPARE && (granted[t] & BIT(r)) && !(read[t] & BIT(r)) && CNT(AMONG(t, granted[t])) >= ENOUGH(t) -> \
		printf("term %d: the log of server %d is read by %d\n", t, r, owner[t]); \
		gather(t, r) }

#ifdef AGREEMENT_ONLY
#define STAYS(x)
#else
#define STAYS(x) assert(stays || (x));
#endif
/*
 * The READ meets a WRITE of a later leader half-way and finds no complete entry
 * there; the WRITE is then executed. Nobody looks at the promised term afterwards.
 */
#ifdef MUT_READ_UNCHECKED
#define READTORN(t, r) \
	:: d_step { phase[t] == PREPARE && (granted[t] & BIT(r)) && !(read[t] & BIT(r)) && CNT(AMONG(t, granted[t])) >= ENOUGH(t) && \
		perm[r] > t && phase[perm[r]] >= LEAD && next[r] < tail[perm[r]] && LOG(r, next[r]) != ENT(perm[r], next[r]) -> \
		printf("term %d: the log of server %d is read by %d, slot %d being half written in term %d\n", t, r, owner[t], next[r], perm[r]); \
		LOG(r, next[r]) = 0; \
		gather(t, r); \
		e = perm[r]; \
		LOG(r, next[r]) = ENT(e, next[r]); \
		HELD(e, next[r]) = HELD(e, next[r]) | BIT(r); \
		decide(e, next[r]); \
		next[r]++; e = 0 }
#else
#define READTORN(t, r)
#endif

#ifdef CHANGE
/*
 * The next slot behind an undecided change is another membership's: a leader that adopts
 * the change writes nothing there, and need not have what is there (e). The term that
 * follows does.
 */
#ifdef ADOPT_BEHIND
#define STOPBEHIND(t, slot)
#else
#define STOPBEHIND(t, slot) if :: VAL(ENT(t, slot)) == CHANGED -> d = 1; e = 1 :: else fi;
#endif
/* What was read says that a change is decided that the owner did not know of: it begins anew. */
#define KNOWSLATER(t) (!cfg[t] && ((tail[t] > 0 && VAL(ENT(t, 0)) == CHANGED) || (S > 1 && tail[t] > 1 && VAL(ENT(t, S - 1)) == CHANGED)))
#define LEARNS(t) \
	:: d_step { phase[t] == PREPARE && CNT(AMONG(t, read[t])) >= ENOUGH(t) && KNOWSLATER(t) -> \
		printf("server %d learns of the change, and gives term %d up\n", owner[t], t); \
		d = tail[t]; \
		s = 0; \
		do \
		:: s < d -> LOG(owner[t], s) = ENT(t, s); s++ \
		:: else -> break \
		od; \
		do \
		:: head[owner[t]] < d -> apply(owner[t]) \
		:: else -> break \
		od; \
		forget(t); \
		phase[t] = DEAD; d = 0 }
/* A change is proposed at a quiet point; nothing is proposed behind it before it is decided. */
#define PROPOSECHANGE(t) \
	:: d_step { phase[t] == LEAD && tail[t] < S && !cfg[t] && commit[t] == tail[t] -> \
		printf("server %d, term %d: proposes the change in slot %d\n", owner[t], t, tail[t]); \
		ENT(t, tail[t]) = ENTRY(t, CHANGED); \
		LOG(owner[t], tail[t]) = ENTRY(t, CHANGED); \
		HELD(t, tail[t]) = BIT(owner[t]); \
		proposed[tail[t]] = proposed[tail[t]] | BIT(CHANGED); \
		own[t] = 1; \
		tail[t]++ }
#define OPEN(t) (tail[t] > commit[t] && VAL(ENT(t, tail[t] - 1)) == CHANGED)
#ifdef MUT_BEHIND_CHANGE
#define WAITS(t) false
#else
#ifdef MUT_BEHIND_ADOPTED
#define WAITS(t) (OPEN(t) && own[t])
#else
#define WAITS(t) OPEN(t)
#endif
#endif
/* Under the new membership the leader goes on in a new term. */
#define NEWTERM(t) if :: VAL(ENT(t, commit[t] - 1)) == CHANGED -> phase[t] = DEPOSED :: else fi;
#else
#define STOPBEHIND(t, slot)
#define KNOWSLATER(t) false
#define WAITS(t) false
#define NEWTERM(t)
#endif

#ifdef BARRIER
#define BEGUN(t) start[t] = tail[t];
#define NOTE_REPORTED(t) if :: commit[t] > reported -> reported = commit[t] :: else fi;
#ifdef MUT_BARRIER_ADOPTED
#define UNTIL(t) commit[t]
#else
#define UNTIL(t) (start[t] > commit[t] -> start[t] : commit[t])
#endif
#ifdef MUT_BARRIER_BEFORE
#define PROBED(t) (bar[t] != CONFIRMED)
#define AFRESH(t)
#else
#define PROBED(t) (bar[t] == ASKED_FOR)
#define AFRESH(t) backs[t] = 0;
#endif
#ifdef MUT_BARRIER_ALONE
#define FOLLOWED(t) true
#else
#define FOLLOWED(t) (CNT(AMONG(t, backs[t] | BIT(owner[t]))) >= ENOUGH(t))
#endif
#ifdef GOAL_READ /* a barrier covers something that another leader has reported */
#define SEEK_READ(t) REACHED(cover[t] > 0 && t > 1)
#else
#define SEEK_READ(t)
#endif
#define READING(t) \
	:: d_step { phase[t] == LEAD && bar[t] == NONE -> \
		printf("server %d, term %d: is asked for a read barrier, %d slots being reported\n", owner[t], t, reported); \
		bar[t] = ASKED_FOR; until[t] = UNTIL(t); cover[t] = reported; AFRESH(t) } \
	:: d_step { phase[t] == LEAD && bar[t] == ASKED_FOR && FOLLOWED(t) && commit[t] >= until[t] -> \
		printf("server %d, term %d: the read barrier is confirmed, %d slots are applied\n", owner[t], t, commit[t]); \
		SEEK_READ(t) \
		assert(current || commit[t] >= cover[t]); \
		bar[t] = CONFIRMED; backs[t] = 0; until[t] = 0; cover[t] = 0 }
#define PROBE(t, r) \
	:: d_step { phase[t] == LEAD && PROBED(t) && perm[r] == t && state[r] == MEMBER && !(backs[t] & BIT(r)) -> \
		printf("term %d: the commit position is written to server %d\n", t, r); \
		backs[t] = backs[t] | BIT(r) }
#else
#define BEGUN(t)
#define NOTE_REPORTED(t)
#endif

/* Enough was read: adopt, write the own log again in this term, lead. */
#define LEADS(t) \
	:: d_step { phase[t] == PREPARE && CNT(AMONG(t, read[t])) >= ENOUGH(t) && !KNOWSLATER(t) -> \
		printf("server %d has read enough and leads term %d\n", owner[t], t); \
		phase[t] = LEAD; granted[t] = 0; read[t] = 0; \
		commit[t] = tail[t]; \
		s = 0; d = 0; e = 0; \
		do \
		:: s < S -> \
			if \
			:: s < tail[t] -> \
				LOG(owner[t], s) = ENT(t, s) \
			:: s >= tail[t] && !d && ENT(t, s) != 0 -> \
				ENT(t, s) = ENTRY(t, VAL(ENT(t, s))); \
				LOG(owner[t], s) = ENT(t, s); \
				HELD(t, s) = BIT(owner[t]); \
				STOPBEHIND(t, s) \
			:: else -> \
				d = 1; ENT(t, s) = 0 \
			fi; \
			STAYS(decided[s] == 0 || decidedIn[s] >= t || VAL(ENT(t, s)) == decided[s] || e == 1) \
			s++ \
		:: else -> break \
		od; \
		do \
		:: head[owner[t]] < commit[t] -> apply(owner[t]) \
		:: else -> break \
		od; \
		do \
		:: tail[t] < S && ENT(t, tail[t]) != 0 -> tail[t]++ \
		:: else -> break \
		od; \
		BEGUN(t) \
		e = 0 }

#define PROPOSE(t) \
	:: d_step { phase[t] == LEAD && tail[t] < S && !WAITS(t) -> \
		printf("server %d, term %d: proposes a value of its own in slot %d\n", owner[t], t, tail[t]); \
		ENT(t, tail[t]) = ENTRY(t, t); \
		LOG(owner[t], tail[t]) = ENTRY(t, t); \
		HELD(t, tail[t]) = BIT(owner[t]); \
		proposed[tail[t]] = proposed[tail[t]] | BIT(t); \
		tail[t]++; \
		if \
		:: accel[t] -> gtail[t] = tail[t]; decide(t, tail[t] - 1) \
		:: else \
		fi }

/*
 * Direct WRITE, in order. In accelerated mode the group's members get only repairs
 * of what is decided this way.
 */
#define WRITE(t, r) \
	:: d_step { perm[r] == t && next[r] < tail[t] && phase[t] >= LEAD && \
		(!accel[t] || !(gmem[t] & BIT(r)) || next[r] < commit[t]) -> \
		printf("term %d: WRITE of slot %d executed at server %d, value %d\n", t, next[r], r, VAL(ENT(t, next[r]))); \
		LOG(r, next[r]) = ENT(t, next[r]); \
		SEEK_FALLBACK(t, r, next[r]) \
		SEEK_REJOINED(t, r, next[r]) \
		HELD(t, next[r]) = HELD(t, next[r]) | BIT(r); \
		decide(t, next[r]); \
		next[r]++ }

#ifdef MUT_NOT_REVOKED
#define WRITE2(t, r) \
	:: d_step { perm2[r] == t && next2[r] < tail[t] && phase[t] >= LEAD -> \
		printf("term %d: WRITE of slot %d executed at server %d, which has not revoked it\n", t, next2[r], r); \
		LOG(r, next2[r]) = ENT(t, next2[r]); \
		HELD(t, next2[r]) = HELD(t, next2[r]) | BIT(r); \
		decide(t, next2[r]); \
		next2[r]++ }
#else
#define WRITE2(t, r)
#endif

/*
 * A WRITE over an entry stops half-way, for now or, when the leader crashes or the
 * permission goes, for good.
 */
#ifdef MUT_TORN
#define TEARS(t, r, slot) (LOG(r, slot) != 0 && LOG(r, slot) != ENT(t, slot))
#else
#define TEARS(t, r, slot) (LOG(r, slot) != 0 && VAL(LOG(r, slot)) != VAL(ENT(t, slot)))
#endif
#define TEAR(t, r) \
	:: d_step { perm[r] == t && next[r] < tail[t] && phase[t] >= LEAD && \
		TEARS(t, r, next[r]) && \
		(!accel[t] || !(gmem[t] & BIT(r)) || next[r] < commit[t]) -> \
		printf("term %d: WRITE of slot %d half executed at server %d\n", t, next[r], r); \
		LOG(r, next[r]) = 0 }

#define COMMIT(t) \
	:: d_step { phase[t] == LEAD && commit[t] < tail[t] && ISDECIDED(t, commit[t]) -> \
		printf("term %d: the leader learns that slot %d is decided, and applies it\n", t, commit[t]); \
		commit[t]++; NOTE_REPORTED(t) apply(owner[t]); NEWTERM(t) }

#ifdef MUT_COMMIT_AHEAD
#define HAS(r) (LOG(r, head[r]) != 0)
#else
#define HAS(r) (LOG(r, head[r]) != 0 && (next[r] > head[r] || ((gmem[perm[r]] & BIT(r)) && gnext[r] > head[r])))
#endif
#define APPLY(t, r) \
	:: d_step { perm[r] == t && head[r] < commit[t] && HAS(r) -> \
		printf("server %d applies slot %d, value %d\n", r, head[r], VAL(LOG(r, head[r]))); \
		apply(r) }

#define CRASH(r) \
	:: d_step { crashes < C -> \
		printf("server %d crashes and loses its memory\n", r); \
		crashes++; \
		i = 1; \
		do \
		:: i <= K -> \
			if \
			:: owner[i] == r && phase[i] == PREPARE -> forget(i); phase[i] = DEAD \
			:: owner[i] == r && (phase[i] == LEAD || phase[i] == DEPOSED) -> accel[i] = 0; phase[i] = DEAD \
			:: else \
			fi; \
			LIFE(i, r) \
			i++ \
		:: else -> break \
		od; \
		state[r] = AFTERCRASH; promised[r] = 0; perm[r] = 0; next[r] = 0; gnext[r] = 0; head[r] = 0; asked[r] = 0; \
		s = 0; \
		do \
		:: s < S -> LOG(r, s) = 0; s++ \
		:: else -> break \
		od; \
		e = 0 }
#ifdef MUT_AMNESIA
#define AFTERCRASH MEMBER
#else
#define AFTERCRASH RECOVERING
#endif
/* A grant counts only while the server that gave it lives: READs fail on a dead connection. */
#ifdef MUT_GRANT_OUTLIVES
#define LIFE(t, r)
#else
#define LIFE(t, r) if :: phase[t] == PREPARE && !(read[t] & BIT(r)) -> granted[t] = granted[t] & ~BIT(r) :: else fi;
#endif

#ifdef MUT_ASK_ANYBODY
#define MAYASK(o) true
#else
#define MAYASK(o) (state[o] == MEMBER)
#endif
#define ASK1(r, o) \
	:: d_step { state[r] == RECOVERING && r != o && !(asked[r] & BIT(o)) && MAYASK(o) -> \
		printf("server %d, recovering, reads the promised term of %d\n", r, o); \
		asked[r] = asked[r] | BIT(o); \
		if \
		:: promised[o] > promised[r] -> promised[r] = promised[o] \
		:: else \
		fi }

#ifdef MUT_ASK_NOBODY
#define ASKED(r) true
#else
#define ASKED(r) (CNT(asked[r]) >= OTHERS)
#endif
#define REJOIN(t, r) \
	:: d_step { state[r] == RECOVERING && owner[t] != r && phase[t] == LEAD && ASKED(r) && \
		t >= promised[r] && perm[r] != t -> \
		printf("server %d, recovering, lets the leader of term %d write\n", r, t); \
		promised[r] = t; perm[r] = t; next[r] = head[r]; gnext[r] = 0 }

#ifdef MUT_NOT_CAUGHT_UP
#define CAUGHTUP(t, r) true
#else
#define CAUGHTUP(t, r) (next[r] == tail[t] && commit[t] == tail[t])
#endif
#define FULL(t, r) \
	:: d_step { state[r] == RECOVERING && perm[r] == t && phase[t] == LEAD && CAUGHTUP(t, r) -> \
		printf("server %d is told by the leader of term %d that it is a member again\n", r, t); \
		NOTE_REJOINED(r) \
		state[r] = MEMBER; asked[r] = 0 }

/* The switch connects to the members at a quiet point. */
#define GROUP(t, m) \
	:: d_step { phase[t] == LEAD && gmem[t] == 0 && commit[t] == tail[t] && tail[t] < S && MAYGROUP(t, m) -> \
		printf("term %d: the switch connects to the group with member mask %d\n", t, m); \
		gmem[t] = m; gfrom[t] = tail[t]; gtail[t] = tail[t]; accel[t] = 1; \
		i = 0; \
		do \
		:: i < N -> \
			if \
			:: m & BIT(i) -> gnext[i] = tail[t] \
			:: else \
			fi; \
			i++ \
		:: else -> break \
		od; \
		e = 0 }
#ifdef MUT_GROUP_GAP
#define HASALL(t, r) true
#else
#define HASALL(t, r) (next[r] == tail[t])
#endif
#define READY(t, m, r) (!((m) & BIT(r)) || (perm[r] == t && HASALL(t, r) && state[r] == MEMBER))
#define MAYGROUP(t, m) (!((m) & BIT(owner[t])) && READY(t, m, 0) && READY(t, m, 1) && READY(t, m, 2))

#ifdef MUT_GROUP_KEPT
#define GROUPWRITES(t, r) (state[r] == MEMBER)
#define GROUPENDS(r)
#else
#define GROUPWRITES(t, r) (perm[r] == t)
#define GROUPENDS(r) gnext[r] = 0;
#endif
#define INFLIGHT(t, r) (GROUPWRITES(t, r) && (gmem[t] & BIT(r)) && phase[t] >= LEAD && gnext[r] >= gfrom[t] && gnext[r] < gtail[t])
#define DELIVER(t, r) \
	:: d_step { INFLIGHT(t, r) -> \
		printf("term %d: WRITE of slot %d through the switch executed at server %d\n", t, gnext[r], r); \
		LOG(r, gnext[r]) = ENT(t, gnext[r]); \
		SEEK_SWITCH(t, r, gnext[r]) \
		HELD(t, gnext[r]) = HELD(t, gnext[r]) | BIT(r); \
		decide(t, gnext[r]); \
		gnext[r]++ } \
	:: d_step { INFLIGHT(t, r) && TEARS(t, r, gnext[r]) -> \
		printf("term %d: WRITE of slot %d through the switch half executed at server %d\n", t, gnext[r], r); \
		LOG(r, gnext[r]) = 0 }

#ifdef MUT_FALLBACK_SKIPS
#define AGAIN(t, r) if :: perm[r] == t && next[r] < commit[t] -> next[r] = commit[t] :: else fi;
#else
#define AGAIN(t, r)
#endif
#define FALLBACK(t) \
	:: d_step { accel[t] -> \
		printf("term %d: the switch fails, back to direct\n", t); \
		accel[t] = 0; AGAIN(t, 0) AGAIN(t, 1) AGAIN(t, 2) }

#if N == 3
#define EACHR(A, t) A(t, 0) A(t, 1) A(t, 2)
#define EACH1(A) A(0) A(1) A(2)
#define EACHM(A, t) A(t, 1) A(t, 2) A(t, 3) A(t, 4) A(t, 5) A(t, 6)
#elif N == 4
#define EACHR(A, t) A(t, 0) A(t, 1) A(t, 2) A(t, 3)
#define EACH1(A) A(0) A(1) A(2) A(3)
#define EACHM(A, t) A(t, 3) A(t, 5) A(t, 6) A(t, 9) A(t, 10) A(t, 12) A(t, 7) A(t, 11) A(t, 13) A(t, 14)
#endif

#if N == 5
#define EACHR(A, t) A(t, 0) A(t, 1) A(t, 2) A(t, 3) A(t, 4)
#define EACH1(A) A(0) A(1) A(2) A(3) A(4)
#endif

#if K == 2
#define EACHT(A) A(1) A(2)
#elif K == 3
#define EACHT(A) A(1) A(2) A(3)
#elif K == 4
#define EACHT(A) A(1) A(2) A(3) A(4)
#endif
#define RGRANT(t) EACHR(GRANT, t)
#define RREAD(t) EACHR(READ, t) EACHR(READTORN, t)
#define RWRITE(t) EACHR(WRITE, t) EACHR(WRITE2, t) EACHR(TEAR, t)
#define RAPPLY(t) EACHR(APPLY, t)
#define RREJOIN(t) EACHR(REJOIN, t) EACHR(FULL, t)
#define MGROUP(t) EACHM(GROUP, t) EACHR(DELIVER, t)
#define ASK(r) EACHR(ASK1, r)
#ifdef BARRIER
#define RPROBE(t) EACHR(PROBE, t)
#endif

init {
	byte term, last; /* last: the highest server that owns a term */
	/*
	 * Who owns which term. Servers are interchangeable, so the first owner may be
	 * called 0, the second other one 1, and so on.
	 */
	atomic {
		owner[1] = 0;
#ifdef OWNER2
		owner[2] = OWNER2; owner[3] = OWNER3; term = K1;
#ifdef OWNER4
		owner[4] = OWNER4;
#endif
#else
		term = 2;
#endif
		do
		:: term <= K ->
			if
			:: owner[term] = 0
			:: last >= 1 -> owner[term] = 1
			:: last >= 2 -> owner[term] = 2
			:: last < N - 1 -> last = last + 1; owner[term] = last
#ifdef CHANGE
			:: owner[term] = N - 1 /* who joins or leaves is not like the others */
#endif
			fi;
			term++
		:: else -> break
		od;
		term = 0; last = 0
	}
end:
	do
	EACHT(START)
	EACHT(RGRANT)
	EACHT(RREAD)
	EACHT(LEADS)
	EACHT(PROPOSE)
	EACHT(RWRITE)
	EACHT(COMMIT)
	EACHT(RAPPLY)
	EACH1(CRASH)
	EACH1(ASK)
	EACHT(RREJOIN)
#ifdef CHANGE
	EACHT(LEARNS)
	EACHT(PROPOSECHANGE)
#endif
#ifdef BARRIER
	EACHT(READING)
	EACHT(RPROBE)
#endif
#ifdef SWITCH
	EACHT(MGROUP)
	EACHT(FALLBACK)
#endif
	od
}
