/*
 * A model of decision 40: an upstream token is refreshed once. Spin searches all interleavings of processes that find
 * the same row expired:
 *
 *   spin -DKILLS=1 -DLOSSES=1 -a upstream-token.pml && gcc -O2 -DSAFETY -DHC4 -o pan pan.c && ./pan -m10000 -w24
 *
 * KILLS is the number of processes that may be killed at any step. LOSSES is the number of requests or responses that
 * the network may lose. FAULT_… puts a fault into the algorithm, which Spin must find. One step of time is about five
 * seconds of src/upstreams/vault/refresher.ts. test/src/upstreams/model.spec.ts runs all of this.
 */
#ifndef KILLS
#define KILLS 0
#endif
#ifndef LOSSES
#define LOSSES 0
#endif

#ifndef PROCESSES
#define PROCESSES 2
#endif
#ifdef FAULT_SHORT_LEASE
#define LEASE 1
#define REQUIRED 0
#else
#define LEASE 3
#ifdef FAULT_LEASE_NOT_CHECKED
#define REQUIRED 0
#else
#define REQUIRED 2
#endif
#endif
#define TIMEOUT 2
#define PATIENCE 4
#ifndef END
#define END 5
#endif

mtype = { usable, refused, lost, idle, sent, handled, rotated, invalid };

typedef Row {
  byte version;
  byte token;
  byte owner; /* 0: there is no lease. */
  byte until;
  bool isInDoubt;
  mtype state
};

typedef Request {
  mtype state;
  byte token;
  byte at;
  byte answer;
  bool isInDoubt
};

Row row;
Request request[PROCESSES];
byte now, owners, kills, losses;
byte newest;                    /* The only refresh token that the provider accepts. */
byte received[PROCESSES + 1];   /* How often it has received each token. */
bool isDead[PROCESSES];
bool isCalling[PROCESSES];      /* A process that waits for the provider. */
bool isAboutToCall[PROCESSES];  /* It has checked its lease, and is not paused before it sends the request. */

/* Nothing is lost without a trace: the token of the row can be used, or the row says why it may not be. */
#define IS_VISIBLE (row.token == newest || row.owner != 0 || row.isInDoubt || row.state != usable)

inline copy(to, from) {
  to.version = from.version; to.token = from.token; to.owner = from.owner;
  to.until = from.until; to.isInDoubt = from.isInDoubt; to.state = from.state
}

#if PROCESSES > 2
#define IS_ANY(condition) (condition(0) || condition(1) || condition(2))
#else
#define IS_ANY(condition) (condition(0) || condition(1))
#endif

#define SAME(a, b) (a.version == b.version && a.token == b.token && a.owner == b.owner && \
  a.until == b.until && a.isInDoubt == b.isInDoubt && a.state == b.state)

#define IS_WAITING(i) (isCalling[i] && !isDead[i] && (request[i].state == sent || request[i].state == handled))

/* Replaces the row if it is still the one that was read. A database may also report success for a row that already is
   as it should become. */
inline replace(from, to, isReplaced) {
  d_step {
#ifdef FAULT_NOT_COMPARED
    isReplaced = true;
#else
    isReplaced = SAME(row, from) || SAME(row, to);
#endif
    if
    :: isReplaced -> copy(row, to)
    :: else
    fi;
    assert(IS_VISIBLE)
  }
}

proctype Caller(byte me) {
  Row seen, next;
  byte mine, began;
  bool isReplaced;

  {
    d_step { copy(seen, row); began = now }
    do
    :: seen.version != 0 || seen.state != usable -> goto finished
    :: else ->
      if
      :: now - began > PATIENCE -> goto finished
      :: else
      fi;
      if
      :: seen.owner != 0 && seen.until > now ->
        /* Another process has the lease. Waits until something has changed, and reads the row again. */
        atomic { (!SAME(row, seen) || seen.until <= now || now - began > PATIENCE || now == END) -> copy(seen, row) }
        if
        :: now == END -> goto finished
        :: else
        fi
      :: else ->
        d_step {
          copy(next, seen);
          owners++;
#ifdef FAULT_NO_OWNER
          mine = 1;
#else
          mine = owners;
#endif
          next.owner = mine;
          next.until = now + LEASE;
#ifndef FAULT_DOUBT_FORGOTTEN
          next.isInDoubt = seen.isInDoubt || seen.owner != 0
#endif
        }
        replace(seen, next, isReplaced);
        d_step {
          copy(seen, row);
          isAboutToCall[me] = isReplaced && seen.owner == mine && seen.version == 0 && seen.until > now + REQUIRED
        }
#ifdef FAULT_LEASE_NOT_CHECKED
        /* A pause of the process. */
        isReplaced = isAboutToCall[me];
        isAboutToCall[me] = false;
        if
        :: isReplaced -> break
        :: else
        fi
#else
        if
        :: isAboutToCall[me] -> break
        :: else
        fi
#endif
      fi
    od;
    skip;
    d_step {
      /* No two processes call the provider at the same time. */
      assert(!IS_ANY(IS_WAITING));
      isAboutToCall[me] = false;
      isCalling[me] = true;
      request[me].token = seen.token;
      request[me].at = now;
      request[me].isInDoubt = seen.isInDoubt;
      request[me].state = sent
    }
    if
    :: request[me].state == rotated ->
      isCalling[me] = false;
      d_step {
        copy(next, seen);
        next.version = seen.version + 1;
        next.token = request[me].answer;
        next.owner = 0; next.until = 0;
        next.isInDoubt = false;
        next.state = usable
      }
      do
      :: replace(seen, next, isReplaced);
        if
        :: isReplaced -> break
        :: else -> d_step { copy(seen, row) }
        fi;
        /* Another process has only taken the lease or found the old token refused: these tokens are the newest. */
#ifndef FAULT_RESPONSE_GIVEN_UP
        if
        :: seen.version != 0 -> break
        :: else
        fi
#else
        break
#endif
      od;
      /* No response is lost, whatever other processes did meanwhile. */
      assert(row.version == 1)
    :: request[me].state == invalid ->
      isCalling[me] = false;
      d_step {
        /* The provider refuses no token that it has not received before: the row knows the reason. */
        assert(seen.isInDoubt);
        copy(next, seen);
        next.owner = 0; next.until = 0;
        next.state = lost
      }
      replace(seen, next, isReplaced)
    :: (now >= request[me].at + TIMEOUT || now == END) && IS_WAITING(me) ->
      isCalling[me] = false
    fi;
finished:
    skip
  } unless { isDead[me] }
}

#define IS_OPEN(i) (request[i].state == sent && now < request[i].at + TIMEOUT)

inline handle(i) {
  d_step {
    /* A token is received twice only if the sender knew of the first time. */
    assert(received[request[i].token] == 0 || request[i].isInDoubt);
    received[request[i].token]++;
    if
    :: request[i].token == newest -> newest++; request[i].answer = newest; request[i].state = rotated
    :: else -> request[i].state = invalid
    fi;
    assert(IS_VISIBLE)
  }
}

proctype Provider() {
end:
  do
  :: IS_OPEN(0) -> handle(0)
  :: IS_OPEN(1) -> handle(1)
#if PROCESSES > 2
  :: IS_OPEN(2) -> handle(2)
#endif
  od
}

#define IS_ON_ITS_WAY(i) (request[i].state == sent || request[i].state == rotated)
#define CAN_LOSE(i) (losses < LOSSES && isCalling[i] && IS_ON_ITS_WAY(i) && now < request[i].at + TIMEOUT)
#define LOSE(i) d_step { CAN_LOSE(i) -> request[i].state = handled; losses++ }

/* Loses requests, and responses after the provider has rotated the token. */
proctype Network() {
end:
  do
  :: LOSE(0)
  :: LOSE(1)
#if PROCESSES > 2
  :: LOSE(2)
#endif
  od
}

#define KILL(i) d_step { kills < KILLS && !isDead[i] -> isDead[i] = true; isAboutToCall[i] = false; kills++ }

proctype Killer() {
end:
  do
  :: KILL(0)
  :: KILL(1)
#if PROCESSES > 2
  :: KILL(2)
#endif
  od
}

#define IS_ABOUT_TO_CALL(i) isAboutToCall[i]
#define IS_LATE(i) (IS_WAITING(i) && now >= request[i].at + TIMEOUT)

/* A process gives a request up in time, and is not paused between the check of its lease and the request. It may be
   paused at all other points. */
proctype Clock() {
end:
  do
  :: atomic {
      now < END && !IS_ANY(IS_ABOUT_TO_CALL) && !IS_ANY(IS_LATE) -> now++ }
  od
}

init {
  byte i;
  row.state = usable;
  atomic {
    for (i : 0 .. PROCESSES - 1) {
      request[i].state = idle;
      run Caller(i)
    }
    run Provider(); run Network(); run Killer(); run Clock()
  }
}
