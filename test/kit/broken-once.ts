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
    fails: 'says once who comes first',
    finding: /`once\(\)` returned true to (?!1 of)\d+ of 40 callers at once/,
    remedy: /ON CONFLICT/,
    leaves: { 'what happens once': 'best effort', 'pushed requests': 'absent' },
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
    fails: 'remembers what came for as many seconds as it is told',
    finding: /`once\(\)` returns true again for the same digest, 0\.2 seconds after it was to remember it for 60/,
    remedy: /EX <seconds>/,
    leaves: { 'what happens once': 'broken' },
  },
  {
    mistake: 'says that everything came before',
    methods: () => ({ once: async () => false }),
    fails: 'says once who comes first',
    finding: /`once\(\)` returned true to 0 of 40 callers at once/,
    remedy: /ON CONFLICT/,
    leaves: { 'what happens once': 'broken' },
  },
];
