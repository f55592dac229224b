import type { Session } from 'nest-oauth2/server';

import type { BrokenModel } from './broken-model.js';
import type { CorrectModel } from './correct-model.js';

/** Returns methods that change what `getSession()` returns. */
const returning =
  (change: (session: Session, all: Map<string, Session>) => Partial<Session>) => (honest: CorrectModel) => ({
    async getSession(sessionId: string) {
      const session = await honest.getSession(sessionId);
      return session && { ...session, ...change(session, honest.sessions) };
    },
  });

const leaves = { sessions: 'broken' } as const;
const remedy = /Store all properties of the session/;
const PASSED = 'returns the steps that a pending login has passed';
const PENDING = 'returns the step that a pending login waits for';

/** Mistakes with sessions and pending logins. */
export const BROKEN_SESSIONS: readonly BrokenModel[] = [
  {
    mistake: 'returns the current time as the time of the login',
    methods: returning(() => ({ authTime: new Date() })),
    fails: 'returns a session with its user and how the user authenticated',
    finding: /`getSession\(\)` returns `authTime` .+, not /,
    remedy,
    leaves,
  },
  {
    mistake: 'does not store the steps that a login has passed',
    methods: returning(() => ({ passedSteps: undefined })),
    fails: PASSED,
    finding: /returns `passedSteps` undefined, not \[ 'secondFactor', /,
    remedy,
    leaves,
  },
  {
    mistake: 'returns the steps that another login of the user has passed',
    methods: returning((_, all) => ({ passedSteps: [...all.values()].flatMap(({ passedSteps = [] }) => passedSteps) })),
    fails: PASSED,
    finding: /returns `passedSteps` \[ 'secondFactor', .+ for a login that has passed none/,
    remedy,
    leaves,
  },
  {
    mistake: 'does not store the step that a login waits for',
    methods: returning(() => ({ pendingStep: undefined })),
    fails: PENDING,
    finding: /returns `pendingStep` undefined, not 'newPassword/,
    remedy,
    leaves,
  },
  {
    mistake: 'returns a pending step for a session that waits for none',
    methods: returning(({ pendingStep }) => ({ pendingStep: pendingStep ?? 'secondFactor' })),
    fails: PENDING,
    finding: /returns `pendingStep` 'secondFactor' for a session that waits for no step/,
    remedy,
    leaves,
  },
  {
    mistake: 'does not end the session when the user signs out',
    methods: () => ({ revokeSession: async () => true }),
    fails: 'returns no session that was revoked, or that has another ID',
    finding: /still returns a session that was revoked/,
    remedy: /DELETE FROM sessions/,
    leaves,
  },
];
