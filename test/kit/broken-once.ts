import type { BrokenModel } from './broken-model.js';

/** Mistakes with single-use values. */
export const BROKEN_ONCE: readonly BrokenModel[] = [
  {
    mistake: 'reads whether a value was used, and stores it in a second step',
    methods: (honest) => ({
      // DPoP proofs and client assertions depend on it, even without pushed requests.
      savePushedRequest: undefined,
      once: async (digest: string) => {
        const isFirst = !honest.seen.has(digest);
        await new Promise(setImmediate);
        honest.seen.add(digest);
        return isFirst;
      },
    }),
    fails: 'returns true from `once()` to only one of many concurrent callers',
    finding: /`once\(\)` returned true to (?!1 of)\d+ of 40 concurrent callers\. It must return true to exactly one/,
    remedy: /ON CONFLICT/,
    leaves: { 'single-use values': 'best effort', 'pushed requests': 'absent' },
  },
  {
    mistake: 'takes the lifetime in seconds for milliseconds',
    methods: () => {
      const until = new Map<string, number>();
      return {
        once: async (digest: string, seconds: number) =>
          (until.get(digest) ?? 0) <= performance.now() && Boolean(until.set(digest, performance.now() + seconds)),
      };
    },
    fails: 'returns false from `once()` for a used value during the requested number of seconds',
    finding:
      /`once\(\)` returns true a second time for the same value, \d\.\d+ seconds after the first call\. It must remember the value for 60 seconds/,
    remedy: /EX <seconds>/,
    leaves: { 'single-use values': 'broken' },
  },
  {
    mistake: 'reports every value as used before',
    methods: () => ({ once: async () => false }),
    fails: 'returns true from `once()` to only one of many concurrent callers',
    finding: /`once\(\)` returned true to 0 of 40 concurrent callers\. It must return true to exactly one/,
    remedy: /ON CONFLICT/,
    leaves: { 'single-use values': 'broken' },
  },
];
