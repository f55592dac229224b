import { authorizationDetailsOf, authorizationDetailsText } from '../../lib/adapter/index.js';
import { type AuthorizationRequest, InvalidArgumentError, type Request, type User } from '../../lib/index.js';

/** What a user is asked, by which request, and where. */
export interface BoundRequest {
  asked: AuthorizationRequest;
  request: Request;
  returnTo: string;
}

/** Names an authorization request: every parameter of it, and this very place. */
export function requestBinding({ asked, request, returnTo }: BoundRequest): string {
  const { client, redirectUri, issuer } = asked;
  const [path] = returnTo.split('?', 1);
  return JSON.stringify([issuer ?? null, path, client.id, redirectUri, ...parametersOf(asked, request)]);
}

/** What the ticket of a consent form is good for: this user, what they were shown, every parameter of the request, and only here. */
export function consentBinding(user: User, { asked, request, returnTo }: BoundRequest): string {
  const id: unknown = user['id'];
  if ((typeof id !== 'string' || id === '') && typeof id !== 'number') {
    throw new InvalidArgumentError(
      'Invalid argument: the interaction method `findUser()` must return a user with an `id`',
    );
  }
  const { client, redirectUri, grantableScope: scope, issuer } = asked;
  const [path] = returnTo.split('?', 1);
  const shown = [issuer ?? null, path, String(id), client.id, redirectUri, scope ?? null];
  const details = authorizationDetailsOf(asked.data['authorization_details']);
  if (details.length > 0) shown.push(authorizationDetailsText(details));
  return JSON.stringify([...shown, ...parametersOf(asked, request)]);
}

/** One that stands for another says little itself, and may stand for a third tomorrow: then both count. */
const parametersOf = (asked: AuthorizationRequest, request: Request): readonly unknown[] =>
  asked.request === request ? [sorted(request.query)] : [sorted(request.query), sorted(asked.request.query)];

const sorted = (query: object) => Object.entries(query).toSorted(([a], [b]) => (a < b ? -1 : 1));
