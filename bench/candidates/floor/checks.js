import { hash, timingSafeEqual } from 'node:crypto';

const VSCHAR = /^[\x20-\x7e]+$/;
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/;
const VERIFIER = /^[\w\-.~]{43,128}$/;

/** The error that rejects a request. It has no stack trace. */
export class Refusal extends Error {
  constructor(status, error) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(error);
    Error.stackTraceLimit = limit;
    this.status = status;
  }
}

/** Whether the value is a single visible string. A repeated parameter is an array. */
export function isText(value) {
  return typeof value === 'string' && VSCHAR.test(value);
}

export function isAlive(expiry) {
  return expiry instanceof Date && expiry.getTime() > Date.now();
}

export async function validScope(model, user, client, scope) {
  if (typeof scope !== 'string' || !SCOPE.test(scope)) throw new Refusal(400, 'invalid_scope');
  const valid = await model.validateScope(user, client, scope);
  if (!valid) throw new Refusal(400, 'invalid_scope');
  return valid;
}

export function verifyChallenge(challenge, verifier) {
  if (typeof verifier !== 'string' || !VERIFIER.test(verifier)) throw new Refusal(400, 'invalid_grant');
  const expected = Buffer.from(hash('sha256', verifier, 'base64url'));
  const given = Buffer.from(challenge);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new Refusal(400, 'invalid_grant');
}
