import type { Session, SessionModel } from '../../model/sessions.js';
import { opaqueToken } from '../../tokens/opaque.js';
import type { CheckContext } from '../check-context.js';
import { type Check, type CheckedMethod, assert } from '../contract.js';
import { callModel, inspectValue } from './model-calls.js';

const feature = 'sessions';
const needs: readonly CheckedMethod[] = ['saveSession', 'getSession', 'revokeSession'];
const STORE_ALL =
  'Store all properties of the session, for example as JSON, and return them from `getSession()` as they were saved.';

/** The checks of the sessions of browsers, and of logins that wait for a step. */
export const SESSION_CHECKS: readonly Check[] = [
  {
    name: 'returns a session with its user and how the user authenticated',
    feature,
    needs,
    attack: 'A client that requires a recent login, or a second factor, gets an older or weaker one.',
    remedy: STORE_ALL,
    run: assertSessionStored,
  },
  {
    name: 'returns the steps that a pending login has passed',
    feature,
    needs,
    attack:
      'A user must pass the same step again and again. Or, if steps of another login are returned, an attacker who has only the password skips the second factor.',
    remedy: STORE_ALL,
    run: assertPassedSteps,
  },
  {
    name: 'returns the step that a pending login waits for',
    feature,
    needs,
    attack: 'No attack is needed: no user can finish a login that has a second step.',
    remedy: STORE_ALL,
    run: assertPendingStep,
  },
  {
    name: 'returns no session that was revoked, or that has another ID',
    feature,
    needs,
    attack: 'An attacker who has copied the session cookie stays signed in after the user signed out.',
    remedy:
      'Delete the session in `revokeSession()`, and compare IDs exactly. SQL: DELETE FROM sessions WHERE id_digest = ?',
    run: assertRevoked,
  },
];

/** Milliseconds after which sessions of the checks expire. A check is shorter, even on a slow machine. */
const LIFETIME = 15 * 60_000;

/** Returns the model under test, which has the methods that these checks need. */
const modelOf = ({ model }: CheckContext) => model as unknown as SessionModel;

/** Saves a session of the user of the fixtures. Returns what the model was passed. */
async function save(context: CheckContext, more: Partial<Session> = {}): Promise<Session> {
  const user = await context.user();
  const authTime = new Date(Math.floor(Date.now() / 1000) * 1000 - 60_000);
  const session = { sessionId: opaqueToken(), user, authTime, expiresAt: new Date(Date.now() + LIFETIME), ...more };
  await modelOf(context).saveSession(session);
  return session;
}

/** Returns a session as the model finds it. Returns `undefined` if it finds none. */
async function find(context: CheckContext, sessionId: string): Promise<Session | undefined> {
  const model = modelOf(context);
  const found = await callModel(() => model.getSession(sessionId), `\`getSession(${inspectValue(sessionId)})\``);
  return (found || undefined) as Session | undefined;
}

async function findSaved(context: CheckContext, { sessionId }: Session): Promise<Session> {
  const found = await find(context, sessionId);
  assert(found, '`getSession()` does not find the session that was just saved.');
  return found;
}

async function assertSessionStored(context: CheckContext): Promise<void> {
  const sent = await save(context, { acr: 'urn:kit:strong', amr: ['pwd', 'otp'], sid: opaqueToken() });
  const found = await findSaved(context, sent);
  const identified = inspectValue(found.user?.['id']);
  assert(identified === inspectValue(sent.user['id']), `\`getSession()\` returns the user ${identified}.`);
  for (const time of ['authTime', 'expiresAt'] as const) {
    const value: unknown = found[time];
    const isSame = context.isTimeSaved(value, sent[time]);
    assert(isSame, `\`getSession()\` returns \`${time}\` ${inspectValue(value)}, not ${inspectValue(sent[time])}.`);
  }
  for (const name of ['acr', 'amr', 'sid'] as const) assertSame(name, found, sent);
}

async function assertPassedSteps(context: CheckContext): Promise<void> {
  const waits = { isPending: true, pendingStep: 'kitStep' } as const;
  const other = await save(context, { ...waits, passedSteps: ['secondFactor', 'terms of Zoë 漢字'] });
  const first = await save(context, waits);
  assertSame('passedSteps', await findSaved(context, other), other);
  const passedSteps = (await findSaved(context, first)).passedSteps ?? [];
  const text = inspectValue(passedSteps);
  assert(
    Array.isArray(passedSteps) && passedSteps.length === 0,
    `\`getSession()\` returns \`passedSteps\` ${text} for a login that has passed none.`,
  );
}

async function assertPendingStep(context: CheckContext): Promise<void> {
  const waiting = await save(context, { isPending: true, pendingStep: 'newPassword of Zoë 漢字' });
  const finished = await save(context);
  assertSame('pendingStep', await findSaved(context, waiting), waiting);
  const { pendingStep } = await findSaved(context, finished);
  assert(
    pendingStep === undefined || pendingStep === null,
    `\`getSession()\` returns \`pendingStep\` ${inspectValue(pendingStep)} for a session that waits for no step.`,
  );
}

function assertSame(name: 'acr' | 'amr' | 'sid' | 'passedSteps' | 'pendingStep', found: Session, sent: Session): void {
  const isSame = JSON.stringify(found[name]) === JSON.stringify(sent[name]);
  assert(isSame, `\`getSession()\` returns \`${name}\` ${inspectValue(found[name])}, not ${inspectValue(sent[name])}.`);
}

async function assertRevoked(context: CheckContext): Promise<void> {
  const [ended, kept] = [await save(context), await save(context)];
  await findSaved(context, ended);
  await modelOf(context).revokeSession({ sessionId: ended.sessionId });
  assert(!(await find(context, ended.sessionId)), '`getSession()` still returns a session that was revoked.');
  await findSaved(context, kept);
  const { sessionId } = kept;
  for (const other of [sessionId.toUpperCase(), sessionId.toLowerCase(), `${sessionId} `, opaqueToken(), '%', '']) {
    if (other === sessionId) continue;
    assert(!(await find(context, other)), `\`getSession(${inspectValue(other)})\` returns the session of another ID.`);
  }
}
