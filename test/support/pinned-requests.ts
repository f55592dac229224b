import { type Feature, InvalidRequestError, Request } from 'nest-oauth2/server';

export interface PinnedRequests {
  feature: Feature;
  /** The parameters of a request, by its `request_uri`. */
  pinned: Map<string, Record<string, unknown>>;
  /** How often one was consumed. */
  consumed: Map<string, number>;
}

/** A feature by which the parameters of an authorization request are kept here, and good for one decision. RFC 9126 §4 */
export function pinnedRequests(name = 'pinned requests'): PinnedRequests {
  const pinned: PinnedRequests['pinned'] = new Map();
  const consumed: PinnedRequests['consumed'] = new Map();
  const feature: Feature = {
    id: name,
    install: () => ({
      authorization: {
        async resolve({ method, headers, query, body }) {
          const uri = String(body?.request_uri ?? query?.['request_uri']);
          if (uri === 'undefined') return undefined;
          const parameters = pinned.get(uri);
          if (!parameters) throw new InvalidRequestError('Invalid request: `request_uri` is unknown');
          const consume = async () => {
            const times = (consumed.get(uri) ?? 0) + 1;
            consumed.set(uri, times);
            return times === 1;
          };
          return { request: new Request({ method, headers, query: { ...parameters } }), consume };
        },
      },
    }),
  };
  return { feature, pinned, consumed };
}
