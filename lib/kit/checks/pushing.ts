import type { PushedRequest, PushedRequestModel } from '../../features/pushed-requests/pushed-request.js';
import { opaqueToken } from '../../tokens/opaque.js';
import { assert } from '../contract.js';
import type { CheckContext } from '../check-context.js';
import { callModel, inspectValue } from './model-calls.js';

/** Milliseconds in a minute. */
export const MINUTE = 60_000;

const modelOf = (context: CheckContext) => context.model as unknown as PushedRequestModel;

/**
 * Saves a pushed request with the properties that the server would pass to the model, including lists and non-Latin
 * text. Returns these properties.
 */
export async function push(context: CheckContext): Promise<PushedRequest> {
  const { id } = context.fixture;
  const pushed: PushedRequest = {
    requestUri: `urn:ietf:params:oauth:request_uri:${opaqueToken()}`,
    clientId: id,
    issuer: 'https://kit.example',
    parameters: { client_id: id, resource: ['https://a.example/', 'urn:b'], login_hint: 'Zoë 漢字 "\'\\%' },
    openUntil: new Date(Date.now() + 15 * MINUTE),
    expiresAt: new Date(Date.now() + 30 * MINUTE),
  };
  await modelOf(context).savePushedRequest({ ...pushed, parameters: { ...pushed.parameters } });
  return pushed;
}

/** Returns the pushed request that the model finds by a request URI, or `undefined`. */
export async function lookUpPushed(context: CheckContext, requestUri: string): Promise<PushedRequest | undefined> {
  const call = `\`getPushedRequest(${inspectValue(requestUri)})\``;
  const stored = await callModel(() => modelOf(context).getPushedRequest(requestUri), call);
  return (stored || undefined) as PushedRequest | undefined;
}

/**
 * Returns the pushed request that the model finds by a request URI.
 * @throws {CheckFailure} If the model does not find it.
 */
export async function findPushed(context: CheckContext, requestUri: string): Promise<PushedRequest> {
  const stored = await lookUpPushed(context, requestUri);
  assert(stored, '`getPushedRequest()` does not find a request that was just saved.');
  return stored;
}

/**
 * Marks a pushed request as used, as the server would. Returns what the model returned: true if the request was unused.
 */
export async function revokePushed(context: CheckContext, stored: PushedRequest): Promise<unknown> {
  return modelOf(context).revokePushedRequest({ ...stored });
}
