import type { NativeRequest } from '../http/http-adapter.js';

/** What a form says about a choice before consent. */
export interface PostedChoice {
  /** The chosen value. `undefined` if no form was posted, or its CSRF token is invalid. */
  readonly value?: string;
  /** Whether a form with an invalid CSRF token was posted. */
  readonly isExpired: boolean;
}

/**
 * Reads the field `choice` of a posted form: of the form of the choice, whose CSRF token is verified here, or of the
 * consent form, whose CSRF token is bound to the choice and is verified with the decision.
 */
export function readChoice(native: NativeRequest, isValid: (csrfToken: unknown) => boolean): PostedChoice {
  const { choice, decision, csrf_token: csrfToken } = (native.body ?? {}) as Record<string, unknown>;
  if (native.method !== 'POST' || typeof choice !== 'string' || choice === '') return { isExpired: false };
  return decision !== undefined || isValid(csrfToken) ? { value: choice, isExpired: false } : { isExpired: true };
}

/** Whether a posted form is the form of a choice, which does not decide on the request. */
export function isChoiceForm(body: unknown): boolean {
  const { choice, decision } = (body ?? {}) as Record<string, unknown>;
  return choice !== undefined && decision === undefined;
}
