import type { Request } from '../../http/request.js';
import type { Falsy, Model, Token } from '../../model/model.js';

type LookUp = Promise<Token | Falsy>;

/** Token look-ups that the guarded handlers of one native request share. */
interface Shared {
  /** Token look-ups by model and token text. */
  readonly lookUps: Map<object, Map<string, LookUp>>;
  /** The refusals that were reported. */
  readonly reported: Set<string>;
}

const shared = new WeakMap<object, Shared>();
const sharers = new WeakMap<Request, Shared>();

/**
 * Lets all requests with the same `key` look up each access token once, and report each kind of refusal once. Used for transports that
 * call the guard several times per request: once for each field of a GraphQL query.
 * @param key an object that exists as long as the native request, and no longer
 */
export function shareLookUps(request: Request, key: object): void {
  let found = shared.get(key);
  if (!found) shared.set(key, (found = { lookUps: new Map(), reported: new Set() }));
  sharers.set(request, found);
}

/** Finds the access token by its text, or returns the pending or finished look-up of another handler of the same native request. */
export function lookUp(model: Model, value: string, request: Request): LookUp | Token | Falsy {
  const lookUps = sharers.get(request)?.lookUps;
  if (!lookUps) return model.getAccessToken!(value) as LookUp;
  let ofModel = lookUps.get(model);
  if (!ofModel) lookUps.set(model, (ofModel = new Map()));
  let found = ofModel.get(value);
  if (!found) ofModel.set(value, (found = (async () => model.getAccessToken!(value))()));
  return found;
}

/** Whether a refusal has to be reported: not if another handler of the same native request has reported the same one. */
export function isFirstRefusal(request: Request, refusal: string): boolean {
  const reported = sharers.get(request)?.reported;
  if (!reported) return true;
  if (reported.has(refusal)) return false;
  reported.add(refusal);
  return true;
}
