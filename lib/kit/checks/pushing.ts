import type { PushedRequest, PushedRequestModel } from '../../features/pushed-requests/pushed-request.js';
import { opaqueToken } from '../../tokens/opaque.js';
import { assert } from '../contract.js';
import type { CheckContext } from '../check-context.js';
import { callModel, inspectValue } from './model-calls.js';

/** In milliseconds. */
export const MINUTE = 60_000;

const modelOf = (trial: CheckContext) => trial.model as unknown as PushedRequestModel;

/** Pushes a request as the server has it kept; its lists, and texts in any script, must come back. */
export async function push(trial: CheckContext): Promise<PushedRequest> {
  const { id } = trial.fixture;
  const pushed: PushedRequest = {
    requestUri: `urn:ietf:params:oauth:request_uri:${opaqueToken()}`,
    clientId: id,
    issuer: 'https://kit.example',
    parameters: { client_id: id, resource: ['https://a.example/', 'urn:b'], login_hint: 'Zoë 漢字 "\'\\%' },
    openUntil: new Date(Date.now() + MINUTE),
    expiresAt: new Date(Date.now() + 30 * MINUTE),
  };
  await modelOf(trial).savePushedRequest({ ...pushed, parameters: { ...pushed.parameters } });
  return pushed;
}

/** What the model finds by this name, if anything. */
export async function lookUpPushed(trial: CheckContext, requestUri: string): Promise<PushedRequest | undefined> {
  const call = `\`getPushedRequest(${inspectValue(requestUri)})\``;
  const found = await callModel(() => modelOf(trial).getPushedRequest(requestUri), call);
  return (found || undefined) as PushedRequest | undefined;
}

/** What the model finds by this name. @throws Finding when that is nothing */
export async function findPushed(trial: CheckContext, requestUri: string): Promise<PushedRequest> {
  const found = await lookUpPushed(trial, requestUri);
  assert(found, '`getPushedRequest()` does not find what was pushed');
  return found;
}

/** Spends a request, as it was found. */
export async function revokePushed(trial: CheckContext, found: PushedRequest): Promise<unknown> {
  return modelOf(trial).revokePushedRequest({ ...found });
}
