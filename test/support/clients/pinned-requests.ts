import { InvalidRequestError, Request } from 'nest-oauth2/server';
import type { Feature } from 'nest-oauth2/features';

export interface PinnedRequests {
  feature: Feature;
  /** The parameters of each authorization request, by its `request_uri`. */
  pinned: Map<string, Record<string, unknown>>;
  /** The number of times that each authorization request was consumed, by its `request_uri`. */
  consumed: Map<string, number>;
}

/**
 * Returns a feature that resolves a `request_uri` to stored authorization request parameters. Each request is
 * single-use. RFC 9126 §4
 */
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
