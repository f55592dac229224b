import type { PushedRequest } from 'nest-oauth2/features';

import type { BrokenModel } from './broken-model.js';
import type { CorrectModel } from './correct-model.js';

const WHOLE = 'finds a complete pushed request by its exact request URI, and by no other';
const ONCE = 'marks a pushed request as used only once, and does not find it afterwards';
const BROKEN = { 'pushed requests': 'broken', 'authorization codes': 'atomic' } as const;

/** Changes the returned object, as a database row differs from the stored object. */
const finding = (change: (found: PushedRequest) => object) => (honest: CorrectModel) => ({
  getPushedRequest: async (requestUri: string) => {
    const found = await honest.getPushedRequest(requestUri);
    return found && (change(found) as PushedRequest);
  },
});

export const BROKEN_PUSHED_REQUESTS: readonly BrokenModel[] = [
  {
    mistake: 'keeps only the first value of a repeated pushed parameter',
    methods: finding((found) => {
      const { resource, ...parameters } = found.parameters;
      return { ...found, parameters: { ...parameters, resource: resource![0] } };
    }),
    fails: WHOLE,
    finding: /`getPushedRequest\(\)` returns `parameters` \{.+resource: 'https:/,
    remedy: /Store the whole record as JSON/,
    leaves: BROKEN,
  },
  {
    mistake: 'does not store the client of a pushed request',
    methods: finding(({ clientId, ...found }) => found),
    fails: WHOLE,
    finding: /`getPushedRequest\(\)` returns `clientId` undefined\. Saved was 'Web-App'/,
    remedy: /Store the whole record/,
    leaves: BROKEN,
  },
  {
    mistake: 'returns the dates of a pushed request as JSON strings',
    methods: finding((found) => JSON.parse(JSON.stringify(found)) as object),
    fails: WHOLE,
    finding: /returns `openUntil` '\d{4}-/,
    remedy: /new Date\(data\.openUntil\)/,
    leaves: BROKEN,
  },
  {
    mistake: 'ignores the case of a request_uri',
    methods: (honest) => ({ getPushedRequest: (uri: string) => honest.getPushedRequest(uri.toLowerCase()) }),
    fails: WHOLE,
    finding: /`getPushedRequest\('URN:IETF.+ finds a request whose request URI is different/,
    remedy: /Compare bytes/,
    leaves: BROKEN,
  },
  {
    mistake: 'finds a pushed request that was already used',
    methods: (honest) => {
      const spent = new Set<string>();
      return {
        revokePushedRequest: async ({ requestUri }: PushedRequest) =>
          honest.pushed.has(requestUri) && !spent.has(requestUri) && Boolean(spent.add(requestUri)),
      };
    },
    fails: ONCE,
    finding: /`getPushedRequest\(\)` finds a request that was already used/,
    remedy: /DELETE FROM pushed_requests WHERE request_uri = \?/,
    leaves: BROKEN,
  },
  {
    mistake: 'reports every pushed request as consumed by the caller',
    methods: (honest) => ({
      revokePushedRequest: async (found: PushedRequest) => (await honest.revokePushedRequest(found)) || true,
    }),
    fails: ONCE,
    finding: /`revokePushedRequest\(\)` for a request that was already used returns true\. It must return false/,
    remedy: /affected rows === 1/,
    leaves: BROKEN,
  },
  {
    mistake: 'reads whether a pushed request exists, and deletes it in a second step',
    methods: (honest) => ({
      revokePushedRequest: async (found: PushedRequest) => {
        const isThere = Boolean(await honest.getPushedRequest(found.requestUri));
        await honest.revokePushedRequest(found);
        return isThere;
      },
    }),
    fails: 'marks a pushed request as used for only one of many concurrent callers',
    finding:
      /`revokePushedRequest\(\)` returned true to (?!1 of)\d+ of 40 concurrent callers\. It must return true to exactly one/,
    remedy: /Never read first and write afterwards/,
    leaves: { 'pushed requests': 'best effort' },
  },
  {
    mistake: 'consumes a pushed request by the clock of the process',
    methods: (honest) => {
      const until = new Map<string, number>();
      const isAlive = (uri: string) => (until.get(uri) ?? Infinity) > Date.now();
      return {
        getPushedRequest: async (uri: string) => (isAlive(uri) ? honest.getPushedRequest(uri) : undefined),
        revokePushedRequest: async ({ requestUri: uri }: PushedRequest) =>
          honest.pushed.has(uri) && isAlive(uri) && Boolean(until.set(uri, Date.now())),
      };
    },
    fails: 'marks a pushed request as used only once, even if the clocks of processes differ',
    finding: /`getPushedRequest\(\)` finds a request that was already used by a process whose clock is 5 seconds ahead/,
    remedy: /Decide by a mark, not by a time/,
    leaves: BROKEN,
  },
];
