import { detailsOf, detailsText } from '../../lib/internal.js';
import { type AuthorizationRequest, InvalidArgumentError, type Request, type User } from '../../lib/index.js';

/** The parts of an authorization request to which signed tokens are bound. */
export interface BoundRequest {
  authorization: AuthorizationRequest;
  request: Request;
  returnTo: string;
}

/**
 * Returns the text that binds a signed token to an authorization request: its issuer, path, client, redirect URI and
 * all parameters.
 */
export function requestBinding({ authorization, request, returnTo }: BoundRequest): string {
  const { client, redirectUri, issuer } = authorization;
  const [path] = returnTo.split('?', 1);
  return JSON.stringify([issuer ?? null, path, client.id, redirectUri, ...parametersOf(authorization, request)]);
}

/** Returns the text that binds a CSRF token of a form with a choice to the user and the request. */
export const choiceBinding = (user: User, bound: BoundRequest): string =>
  JSON.stringify([idOf(user), requestBinding(bound)]);

/**
 * Returns the text that binds a CSRF token of a consent form to the user, the request with all its parameters, and the
 * scope, authorization details and choices that the user was shown.
 * @throws {InvalidArgumentError} If the user has no `id`.
 */
export function consentBinding(
  user: User,
  { authorization, request, returnTo }: BoundRequest,
  choices: Readonly<Record<string, string>> = {},
): string {
  const id = idOf(user);
  const { client, redirectUri, grantableScope: scope, issuer } = authorization;
  const [path] = returnTo.split('?', 1);
  const shown = [issuer ?? null, path, id, client.id, redirectUri, scope ?? null];
  const details = detailsOf(authorization.data['authorization_details']);
  if (details.length > 0) shown.push(detailsText(details));
  const chosen = Object.keys(choices).length > 0 ? [choices] : [];
  return JSON.stringify([...shown, ...chosen, ...parametersOf(authorization, request)]);
}

function idOf(user: User): string {
  const id: unknown = user['id'];
  if ((typeof id !== 'string' || id === '') && typeof id !== 'number') {
    throw new InvalidArgumentError(
      'Invalid argument: the interaction method `findUser()` must return a user with an `id`',
    );
  }
  return String(id);
}

/**
 * Returns the parameters that a signed token is bound to. If the request refers to a pushed request or a request
 * object, they include both, because the reference may lead to another request later.
 */
const parametersOf = (authorization: AuthorizationRequest, request: Request): readonly unknown[] =>
  authorization.request === request
    ? [sorted(request.query)]
    : [sorted(request.query), sorted(authorization.request.query)];

const sorted = (query: object) => Object.entries(query).toSorted(([a], [b]) => (a < b ? -1 : 1));
