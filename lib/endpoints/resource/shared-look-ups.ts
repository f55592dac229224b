import type { Request } from '../../http/request.js';
import type { Awaitable, Falsy, Model, Token } from '../../model/model.js';

type LookUp = Promise<Token | Falsy>;

/** The token look-ups and reported refusals that all guarded handlers of one HTTP request or message share. */
interface Shared {
  /** Look-ups, by model and token text, or by the owner of sessions. */
  readonly lookUps: Map<object, Map<string, LookUp>>;
  /** The kinds of refusals that were already reported. */
  readonly reported: Set<string>;
}

const shared = new WeakMap<object, Shared>();
const sharers = new WeakMap<Request, Shared>();

/**
 * Lets all requests with the same `key` look up each access token once, and report each kind of refusal once. Some
 * transports call the guard several times per request: GraphQL calls it for each field of a query.
 * @param key An object that exists exactly as long as the native request.
 */
export function shareLookUps(request: Request, key: object): void {
  let entry = shared.get(key);
  if (!entry) shared.set(key, (entry = { lookUps: new Map(), reported: new Set() }));
  sharers.set(request, entry);
}

/**
 * Returns the access token with this text from the model. If the requests share look-ups, it returns the look-up that
 * another handler of the same native request has started.
 */
export function lookUp(model: Model, value: string, request: Request): Awaitable<Token | Falsy> {
  return sharers.has(request) ? sharedLookUp(model, value, request) : model.getAccessToken!(value);
}

/** A function of its own: the closure would otherwise be allocated for requests that share nothing, too. */
const sharedLookUp = (model: Model, value: string, request: Request): Awaitable<Token | Falsy> =>
  shareLookUp(request, model, value, () => model.getAccessToken!(value));

/**
 * Returns the result of `find`, or of the look-up that another handler of the same native request has started for the
 * same owner and value.
 */
export function shareLookUp(
  request: Request,
  owner: object,
  value: string,
  find: () => Awaitable<Token | Falsy>,
): Awaitable<Token | Falsy> {
  const lookUps = sharers.get(request)?.lookUps;
  if (!lookUps) return find();
  let ofOwner = lookUps.get(owner);
  if (!ofOwner) lookUps.set(owner, (ofOwner = new Map()));
  let pending = ofOwner.get(value);
  if (!pending) ofOwner.set(value, (pending = (async () => find())()));
  return pending;
}

/**
 * Whether no other handler of the same native request has reported this kind of refusal. Always `true` if the requests
 * do not share look-ups.
 */
export function isFirstRefusal(request: Request, refusal: string): boolean {
  const reported = sharers.get(request)?.reported;
  if (!reported) return true;
  if (reported.has(refusal)) return false;
  reported.add(refusal);
  return true;
}
