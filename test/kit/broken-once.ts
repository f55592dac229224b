import type { BrokenModel } from './broken-model.js';

/** Mistakes with what may happen only once. */
export const BROKEN_ONCE: readonly BrokenModel[] = [
  {
    mistake: 'looks first whether something came before, and remembers it then',
    methods: (honest) => ({
      // Proofs and assertions hang on it, where nothing is pushed too.
      savePushedRequest: undefined,
      once: async (digest: string) => {
        const isFirst = !honest.seen.has(digest);
        await new Promise(setImmediate);
        honest.seen.add(digest);
        return isFirst;
      },
    }),
    fails: 'returns true from `once()` to one of many concurrent callers',
    finding: /`once\(\)` returned true to (?!1 of)\d+ of 40 concurrent callers\. It must return true to exactly one/,
    remedy: /ON CONFLICT/,
    leaves: { 'single-use values': 'best effort', 'pushed requests': 'absent' },
  },
  {
    mistake: 'takes the seconds for which it remembers for milliseconds',
    methods: () => {
      const until = new Map<string, number>();
      return {
        once: async (digest: string, seconds: number) =>
          (until.get(digest) ?? 0) <= performance.now() && Boolean(until.set(digest, performance.now() + seconds)),
      };
    },
    fails: 'remembers a single-use value for the requested number of seconds',
    finding:
      /`once\(\)` returns true a second time for the same value, \d\.\d+ seconds after the first call\. It must remember the value for 60 seconds/,
    remedy: /EX <seconds>/,
    leaves: { 'single-use values': 'broken' },
  },
  {
    mistake: 'says that everything came before',
    methods: () => ({ once: async () => false }),
    fails: 'returns true from `once()` to one of many concurrent callers',
    finding: /`once\(\)` returned true to 0 of 40 concurrent callers\. It must return true to exactly one/,
    remedy: /ON CONFLICT/,
    leaves: { 'single-use values': 'broken' },
  },
];
