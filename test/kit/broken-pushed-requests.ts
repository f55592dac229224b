import type { PushedRequest } from 'nest-oauth2/features';

import type { BrokenModel } from './broken-model.js';
import type { CorrectModel } from './correct-model.js';

const WHOLE = 'finds a pushed request whole, by its very name and no other';
const ONCE = 'spends a pushed request once, and finds it no more';
const BROKEN = { 'pushed requests': 'broken', 'authorization codes': 'atomic' } as const;

/** Changes what is found, as the row of a database differs from what was put into it. */
const finding = (change: (found: PushedRequest) => object) => (honest: CorrectModel) => ({
  getPushedRequest: async (requestUri: string) => {
    const found = await honest.getPushedRequest(requestUri);
    return found && (change(found) as PushedRequest);
  },
});

export const BROKEN_PUSHED_REQUESTS: readonly BrokenModel[] = [
  {
    mistake: 'keeps the first of the values of a pushed parameter',
    methods: finding((found) => {
      const { resource, ...parameters } = found.parameters;
      return { ...found, parameters: { ...parameters, resource: resource![0] } };
    }),
    fails: WHOLE,
    finding: /`getPushedRequest\(\)` returns `parameters` \{.+resource: 'https:/,
    remedy: /keep the whole record as JSON/,
    leaves: BROKEN,
  },
  {
    mistake: 'forgets whose request was pushed',
    methods: finding(({ clientId, ...found }) => found),
    fails: WHOLE,
    finding: /returns `clientId` undefined for 'Web-App'/,
    remedy: /keep the whole record/,
    leaves: BROKEN,
  },
  {
    mistake: 'returns the dates of a pushed request as JSON has them',
    methods: finding((found) => JSON.parse(JSON.stringify(found)) as object),
    fails: WHOLE,
    finding: /returns `openUntil` '\d{4}-/,
    remedy: /new Date\(data\.openUntil\)/,
    leaves: BROKEN,
  },
  {
    mistake: 'finds pushed requests in any case',
    methods: (honest) => ({ getPushedRequest: (uri: string) => honest.getPushedRequest(uri.toLowerCase()) }),
    fails: WHOLE,
    finding: /`getPushedRequest\('URN:IETF.+ finds a request of another name/,
    remedy: /compare bytes/,
    leaves: BROKEN,
  },
  {
    mistake: 'finds a pushed request that was answered',
    methods: (honest) => {
      const spent = new Set<string>();
      return {
        revokePushedRequest: async ({ requestUri }: PushedRequest) =>
          honest.pushed.has(requestUri) && !spent.has(requestUri) && Boolean(spent.add(requestUri)),
      };
    },
    fails: ONCE,
    finding: /`getPushedRequest\(\)` finds a request that is spent/,
    remedy: /DELETE FROM pushed_requests WHERE request_uri = \?/,
    leaves: BROKEN,
  },
  {
    mistake: 'says of every pushed request that it was spent',
    methods: (honest) => ({
      revokePushedRequest: async (found: PushedRequest) => (await honest.revokePushedRequest(found)) || true,
    }),
    fails: ONCE,
    finding: /`revokePushedRequest\(\)` of a request that is spent returns true/,
    remedy: /affected rows === 1/,
    leaves: BROKEN,
  },
  {
    mistake: 'looks first whether a pushed request is there, and deletes it then',
    methods: (honest) => ({
      revokePushedRequest: async (found: PushedRequest) => {
        const isThere = Boolean(await honest.getPushedRequest(found.requestUri));
        await honest.revokePushedRequest(found);
        return isThere;
      },
    }),
    fails: 'lets one of many win who answer a pushed request at once',
    finding: /`revokePushedRequest\(\)` returned true to (?!1 of)\d+ of 40 callers at once/,
    remedy: /never look first and write then/,
    leaves: { 'pushed requests': 'best effort' },
  },
  {
    mistake: 'spends a pushed request by a moment of the process',
    methods: (honest) => {
      const until = new Map<string, number>();
      const isAlive = (uri: string) => (until.get(uri) ?? Infinity) > Date.now();
      return {
        getPushedRequest: async (uri: string) => (isAlive(uri) ? honest.getPushedRequest(uri) : undefined),
        revokePushedRequest: async ({ requestUri: uri }: PushedRequest) =>
          honest.pushed.has(uri) && isAlive(uri) && Boolean(until.set(uri, Date.now())),
      };
    },
    fails: 'spends a pushed request for processes whose clocks differ',
    finding: /finds a request that was spent by a process whose clock is 5 seconds ahead/,
    remedy: /a mark decides, not a moment/,
    leaves: BROKEN,
  },
];
